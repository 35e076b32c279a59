import Foundation
import OfflineSync

/// The SQLite that Python brings, in a child process: the other side of the ratios.
///
/// It is never linked; where there is no `python3`, ratios are left out.
final class SQLite {
  private let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private var waiting: [UInt8] = []

  /// Starts the child, or answers nil where there is no Python; a line tells which, if wanted.
  static func start(isNoted: Bool = true) throws -> SQLite? {
    let probe = python(["-c", "import sqlite3"])
    probe.standardError = FileHandle.nullDevice
    try probe.run()
    probe.waitUntilExit()
    guard probe.terminationStatus == 0 else {
      if isNoted {
        Output.note("sqlite", "python3 with sqlite3 is absent, so ratios to SQLite are left out")
      }
      return nil
    }
    let sqlite = try SQLite()
    if isNoted { Output.note("sqlite", "version \(try sqlite.ask("version").string ?? "")") }
    return sqlite
  }

  private init() throws {
    process = Self.python(["-c", Self.script])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  private static func python(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    return process
  }

  /// Sends a command of the script; its answer.
  @discardableResult
  func ask(_ command: String, _ arguments: JSON.Object = [:]) throws -> JSON {
    var object = arguments
    object["do"] = .string(command)
    try input.fileHandleForWriting.write(
      contentsOf: Data((JSON.object(object).description + "\n").utf8)
    )
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(waiting[..<end])
        waiting.removeSubrange(...end)
        return try JSON(parsing: line)
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw BenchmarkError("python3 ended while it did \(command)") }
      waiting += data
    }
  }

  /// Sends a command of the script that answers with seconds.
  func seconds(_ command: String, _ arguments: JSON.Object = [:]) throws -> Double {
    guard let seconds = try ask(command, arguments).double else {
      throw BenchmarkError("\(command) answered no time")
    }
    return seconds
  }
}
