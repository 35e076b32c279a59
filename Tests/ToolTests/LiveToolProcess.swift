import Foundation
import Testing

/// The built tool, listened to while it runs.
struct LiveToolProcess {
  private let process = Process()
  private let errors: URL
  private let endings: AsyncStream<Void>
  private let chunks: AsyncStream<Data>
  private var heard = Data()

  /// Starts the tool without input; its output may refuse to wait for a slow reader.
  init(_ arguments: [String], in directory: TestDirectory, outputWaits: Bool = true) throws {
    let output = Pipe()
    if !outputWaits {
      let descriptor = output.fileHandleForWriting.fileDescriptor
      try #require(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
    }
    let (stream, continuation) = AsyncStream<Data>.makeStream()
    // A thread of its own reads: a readability handler now and then misses the end.
    let reading = output.fileHandleForReading
    Thread.detachNewThread {
      while true {
        let data = reading.availableData
        if data.isEmpty { break }
        continuation.yield(data)
      }
      continuation.finish()
    }
    chunks = stream
    process.executableURL = try ToolProcess.tool
    process.arguments = arguments
    process.currentDirectoryURL = directory.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // A file, and no waiting for the end in a thread that other tests need.
    errors = directory.url.appending(path: "\(UUID().uuidString).err")
    try Data().write(to: errors)
    process.standardError = try FileHandle(forWritingTo: errors)
    let (endings, ending) = AsyncStream<Void>.makeStream()
    self.endings = endings
    process.terminationHandler = { _ in ending.finish() }
    try process.run()
  }

  /// Waits until it has said this; false: it ended without.
  mutating func says(_ text: String) async -> Bool {
    let wanted = Data(text.utf8)
    if heard.range(of: wanted) != nil { return true }
    for await chunk in chunks {
      heard += chunk
      if heard.range(of: wanted) != nil { return true }
    }
    return false
  }

  /// Sends a signal to it.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end.
  mutating func result() async throws -> ToolProcess.Result {
    for await chunk in chunks { heard += chunk }
    for await _ in endings {}
    // The handler may be called an instant before the process counts as ended.
    process.waitUntilExit()
    let complaints = try Data(contentsOf: errors)
    return ToolProcess.Result(
      status: process.terminationReason == .exit ? process.terminationStatus : nil,
      output: String(decoding: heard, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self)
    )
  }
}
