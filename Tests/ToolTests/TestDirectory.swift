import Foundation
import OfflineSync
import Testing

/// A temporary directory with a folder remote of the collection `cities`, a configuration and a store.
final class TestDirectory: Sendable {
  let url: URL

  init(pageSize: Int = 2) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "tool-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url.appending(path: "remote/cities"),
      withIntermediateDirectories: true
    )
    try configure(pageSize: pageSize)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      Issue.record(error)
    }
  }

  /// Writes the configuration of the sync `down`.
  func configure(pageSize: Int) throws {
    try write(
      "config.json",
      """
      {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote", "pageSize": \(pageSize)},
                  "options": {"mergeMode": "LEAVE_IF_CHANGED"}}]}
      """
    )
  }

  /// Where the store lies.
  var state: String { url.appending(path: "state").path }

  /// Writes a file below the directory.
  func write(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: url.appending(path: path))
  }

  /// Puts a record into the remote; the body that the store will hold.
  @discardableResult
  func put(_ id: String, name: String, day: Int = 1) throws -> String {
    let date = "2025-01-\(day < 10 ? "0" : "")\(day)T00:00:00.000Z"
    let body = #"{"Id":"\#(id)","Name":"\#(name)","lastModifiedDate":"\#(date)"}"#
    try write("remote/cities/\(FolderName.file(of: RecordID(id)))", body)
    return body
  }

  /// Removes a record from the remote, leaving nothing behind.
  func remove(_ id: String) throws {
    try FileManager.default.removeItem(
      at: url.appending(path: "remote/cities").appending(path: FolderName.file(of: RecordID(id)))
    )
  }

  /// Runs the tool to its end.
  func tool(_ arguments: String..., input: String = "") async throws -> ToolProcess.Result {
    try await ToolProcess(arguments, input: input, in: self).result()
  }

  /// Runs the tool on the state directory; it must end well.
  @discardableResult
  func good(
    _ command: String,
    _ arguments: String...,
    input: String = "",
    at location: SourceLocation = #_sourceLocation
  ) async throws -> ToolProcess.Result {
    let line = [command, "--state", state] + arguments
    let result = try await ToolProcess(line, input: input, in: self).result()
    #expect(result.status == 0, "\(line): \(result.errors)", sourceLocation: location)
    #expect(result.errors == "", sourceLocation: location)
    return result
  }

  /// Pulls the remote into the store.
  @discardableResult
  func pull(at location: SourceLocation = #_sourceLocation) async throws -> ToolProcess.Result {
    try await good("run", "--config", "config.json", "--json", at: location)
  }
}

extension ToolProcess.Result {
  /// Each line as JSON.
  func json() throws -> [JSON] { try lines.map { try JSON(parsing: $0) } }
}
