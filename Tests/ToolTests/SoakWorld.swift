import Foundation
import OfflineSync
import Synchronization
import Testing

/// What the devices of a soak share.
final class SoakWorld: Sendable {
  let devices: AttachmentDirectory
  private let state = Mutex(State())

  private struct State {
    /// Bodies that conflicts showed before they were resolved.
    var shown: [String] = []
    var superseded: Set<String> = []
    var conflicts = 0
  }

  init() throws {
    devices = try AttachmentDirectory()
    try devices.directory.write(
      "config.json",
      """
      {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote"},
                  "options": {"mergeMode": "LEAVE_IF_CHANGED"}},
                 {"syncName": "down", "syncType": "syncDown", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote", "pageSize": 3},
                  "options": {"mergeMode": "LEAVE_IF_CHANGED"}}],
       "attachments": {"owner": "me", "transfer": {"type": "folder", "path": "remote"},
                       "fields": [{"soupName": "cities", "field": "photo"}]}}
      """
    )
  }

  /// Gives both devices the records that both of them will edit.
  func begin() async throws {
    for number in 0..<3 {
      let id = "shared\(number)"
      let date = "2025-01-01T00:00:00.000Z"
      try devices.directory.write(
        "remote/cities/\(id).json",
        #"{"Id":"\#(id)","Key":"\#(id)","Name":"first","lastModifiedDate":"\#(date)"}"#
      )
    }
    for name in ["a", "b"] { try await devices.round(name) }
  }

  var conflictCount: Int { state.withLock { $0.conflicts } }

  /// Notes that an edit was made by somebody who saw this one.
  func supersede(_ tag: String) { _ = state.withLock { $0.superseded.insert(tag) } }

  func isSuperseded(_ tag: String) -> Bool { state.withLock { $0.superseded.contains(tag) } }

  // MARK: - At rest

  /// Lets both devices run undisturbed until nothing is left to do; false: there always is.
  func settle() async throws -> Bool {
    for _ in 0..<12 {
      var isQuiet = true
      for name in ["a", "b"] {
        try await retryAttachments(name)
        let result = try await devices.configured("run", name, "--json")
        if result.status != 0 { isQuiet = false }
        #expect(!result.errors.contains("Fatal error"), "\(result.errors)")
        if try await resolveConflicts(name) { isQuiet = false }
        let dirty = try await devices.plain("records", name, "cities", "--dirty", "--json")
        if !dirty.lines.isEmpty { isQuiet = false }
      }
      let remote = try remoteRecords()
      for name in ["a", "b"] where try await records(name) != remote { isQuiet = false }
      if isQuiet { return true }
    }
    return false
  }

  /// Deaths count as attempts.
  private func retryAttachments(_ name: String) async throws {
    for row in try await devices.plain("attachments", name, "--json").json()
    where row["state"] == "failed" {
      _ = try await devices.plain("retry", name, try #require(row["reference"]?.string))
    }
  }

  /// Settles every conflict in favour of the device that shows it.
  private func resolveConflicts(_ name: String) async throws -> Bool {
    let conflicts = try await devices.plain("conflicts", name, "cities", "--json")
    for line in conflicts.lines {
      state.withLock {
        $0.shown.append(line)
        $0.conflicts += 1
      }
      let id = try #require(RecordID(token: try JSON(parsing: line)["id"] ?? .null))
      #expect(id.text.hasPrefix("shared"), "a record that one device edits has a conflict: \(line)")
      let result = try await devices.plain("resolve-conflict", name, "cities", id.text, "local")
      #expect(result.status == 0, "\(result.errors)")
    }
    return !conflicts.lines.isEmpty
  }

  // MARK: - What is there

  /// The records of a device, as text by id.
  func records(_ name: String) async throws -> [String: String] {
    var records: [String: String] = [:]
    for line in try await devices.plain("records", name, "cities", "--json").json() {
      let id = try #require(RecordID(token: line["id"] ?? .null))
      records[id.text] = try #require(line["record"]?.text)
    }
    return records
  }

  /// The records of the folder, as text by id.
  func remoteRecords() throws -> [String: String] {
    var records: [String: String] = [:]
    for name in try devices.names(in: "remote/cities") where FolderName.isFile(name) {
      let bytes = Array(try Data(contentsOf: devices.url("remote/cities/\(name)")))
      let id = try #require(FolderName.id(ofFile: name))
      records[id.text] = try Record(json: bytes).json
    }
    return records
  }

  /// Every body that conflicts showed, or that is set aside.
  func keptTexts() async throws -> [String] {
    var texts = state.withLock { $0.shown }
    for name in ["a", "b"] {
      let client = try await SyncClient.open(
        at: devices.url(name),
        configuration: .init(access: .readOnly)
      )
      for item in try await client.store.setAside(in: "cities") {
        let conflict = item.conflict
        texts += [item.record, conflict?.local, conflict?.remote, conflict?.base].compactMap(
          \.?.json
        )
      }
      try await client.close()
    }
    return texts
  }
}
