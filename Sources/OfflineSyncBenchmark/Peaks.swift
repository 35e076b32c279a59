import Foundation
import OfflineSync
import Synchronization

/// The most resident memory that this process had whenever it was asked.
final class Peaks: Sendable {
  private let highest = Mutex(0.0)

  /// The most so far.
  var mebibytes: Double { highest.withLock { $0 } }

  /// Looks now.
  func sample() throws {
    let now = try Self.residentKibibytes() / 1024
    highest.withLock { $0 = max($0, now) }
  }

  /// Linux tells it, and its peak, in a file; elsewhere `ps` does.
  private static func residentKibibytes() throws -> Double {
    let status = "/proc/self/status"
    guard FileManager.default.fileExists(atPath: status) else { return try askPS() }
    let text = try String(contentsOfFile: status, encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
      throw BenchmarkError("\(status) has no VmHWM")
    }
    return number
  }

  private static func askPS() throws -> Double {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/ps")
    process.arguments = ["-o", "rss=", "-p", String(ProcessInfo.processInfo.processIdentifier)]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchmarkError("ps did not tell the resident size")
    }
    return number
  }
}
