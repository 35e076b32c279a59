import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// A test directory whose configuration syncs `cities` both ways and moves what `photo` names.
struct AttachmentDirectory {
  let directory: TestDirectory

  init(owner: String = "me") throws {
    directory = try TestDirectory()
    try configure(owner: owner)
  }

  func configure(owner: String? = "me", type: String = "folder") throws {
    let owner = owner.map { #""owner": \#(JSON.string($0).text), "# } ?? ""
    try directory.write(
      "config.json",
      """
      {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote"}, "options": {"fieldlist": ["Name", "photo"]}},
                 {"syncName": "down", "syncType": "syncDown", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote"}, "options": {"mergeMode": "OVERWRITE"}}],
       "attachments": {\(owner)"transfer": {"type": "\(type)", "path": "remote"},
                       "fields": [{"soupName": "cities", "field": "photo"}]}}
      """
    )
  }

  /// A file of random blocks, each of another beginning.
  @discardableResult
  func makeFile(_ name: String, byteCount: Int, seed: UInt64) throws -> Data {
    var random = SeededRandom(seed: seed)
    let block = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
    var data = Data(capacity: byteCount + block.count)
    var number = 0
    while data.count < byteCount {
      number += 1
      data.append(contentsOf: "block \(number)\n".utf8)
      data.append(contentsOf: block)
    }
    data.removeLast(data.count - byteCount)
    try data.write(to: url(name))
    return data
  }

  /// Replaces the first byte of a file, whose size stays.
  func damage(_ file: URL) throws {
    let handle = try FileHandle(forUpdating: file)
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: Data([byte ^ 255]))
    try handle.close()
  }

  func url(_ path: String) -> URL { directory.url.appending(path: path) }

  func sha256(_ file: URL) throws -> String { Self.sha256(of: try Data(contentsOf: file)) }

  static func sha256(of data: Data) -> String { SHA256.hexDigest(of: Array(data)) }

  /// The names in a folder, sorted; none when it is not there.
  func names(in path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: url(path).path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: url(path).path).sorted()
  }

  // MARK: - Devices

  /// The arguments of a command that takes a configuration, for one device.
  func line(_ command: String, _ device: String, _ rest: [String] = []) -> [String] {
    [command, "--config", "config.json", "--state", url(device).path] + rest
  }

  /// Runs a command that takes a configuration.
  func configured(
    _ command: String,
    _ device: String,
    _ rest: String...
  ) async throws -> ToolProcess.Result {
    try await ToolProcess(line(command, device, rest), in: directory).result()
  }

  /// Runs a command that takes none.
  func plain(
    _ command: String,
    _ device: String,
    _ rest: String...,
    input: String = ""
  ) async throws -> ToolProcess.Result {
    let line = [command, "--state", url(device).path] + rest
    return try await ToolProcess(line, input: input, in: directory).result()
  }

  /// A round, which must end well; its report.
  @discardableResult
  func round(_ device: String, at location: SourceLocation = #_sourceLocation) async throws
    -> JSON
  {
    let result = try await configured("run", device, "--json")
    #expect(result.status == 0, "\(result.errors)", sourceLocation: location)
    return try #require(try result.json().last, sourceLocation: location)
  }

  /// A new record of device `a` with this file; the reference.
  func attach(_ name: String, id: String = "first") async throws -> String {
    let put = try await plain("put", "a", "cities", input: #"{"Id":"\#(id)","Name":"Aarhus"}"#)
    try #require(put.status == 0, "\(put.errors)")
    let result = try await configured("attach", "a", "cities", id, "photo", name)
    try #require(result.status == 0, "\(result.errors)")
    return try #require(result.lines.first)
  }

  /// The row of a reference, as programs see it.
  func row(_ reference: String, _ device: String) async throws -> JSON {
    let result = try await plain("attachments", device, reference, "--json")
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try result.json().first)
  }

  /// What resolving prints, which must be a path.
  func resolve(_ reference: String, _ device: String) async throws -> URL {
    let result = try await configured("resolve", device, reference)
    #expect(result.status == 0, "\(result.errors)")
    return URL(filePath: try #require(result.lines.first))
  }
}
