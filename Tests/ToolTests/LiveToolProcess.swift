import ChildProcesses
import Foundation
import Testing

/// The built tool, listened to while it runs.
struct LiveToolProcess {
  private let process: ChildProcess
  private let errors: URL
  private let chunks: AsyncStream<Data>
  private var heard = Data()

  /// Starts the tool without input; its output may refuse to wait for a slow reader.
  init(_ arguments: [String], in directory: TestDirectory, outputWaits: Bool = true) throws {
    let output = Pipe.ofOneProcess()
    if !outputWaits {
      let descriptor = output.fileHandleForWriting.fileDescriptor
      try #require(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
    }
    chunks = output.pieces()
    errors = directory.url.appending(path: "\(UUID().uuidString).err")
    process = try ChildProcess(
      ToolProcess.tool.path,
      arguments,
      directory: directory.url.path,
      input: .file("/dev/null"),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor),
      errors: .file(errors.path)
    )
    // Else the pipe has no end.
    try output.fileHandleForWriting.close()
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
  func send(_ signal: Int32) { process.send(signal) }

  /// Waits for its end.
  mutating func result() async throws -> ToolProcess.Result {
    for await chunk in chunks { heard += chunk }
    let status: Int32? =
      if case .exited(let status) = await process.ending() { status } else { nil }
    let complaints = try Data(contentsOf: errors)
    return ToolProcess.Result(
      status: status,
      output: String(decoding: heard, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self)
    )
  }
}
