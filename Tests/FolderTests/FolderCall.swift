import OfflineSync
import OfflineSyncTesting
import Testing

/// One call that a run makes of a folder target, with what it tells.
struct FolderCall: Sendable, CustomTestStringConvertible {
  let name: String
  let run: @Sendable (FolderPushes) async throws -> String
  var testDescription: String { name }

  static let base: Record = ["Id": "a", "Name": "old", "lastModifiedDate": 5]
  private static let buried: Record = ["Id": "gone", "lastModifiedDate": 5]
  static let create = LocalChange.create(["Name": "new"])
  static let update = LocalChange.update(from: base, to: ["Id": "a", "Name": "new"])
  static let delete = LocalChange.delete(base)

  /// What changes files.
  static let sends = [
    send("create", create), send("update", update), send("delete", delete),
    send("delete what is gone", .delete(buried)),
    send("delete what never was", .delete(["Id": "x"])),
    send("update what is gone", .update(from: buried, to: ["Id": "gone", "Name": "new"])),
  ]

  /// What only looks.
  static let looks = [
    FolderCall(name: "fetch") { pushes in
      var target = pushes.folder.target
      target.pageSize = 2
      var pages: [SyncPage] = []
      var page = try await target.startFetch(syncManager: pushes.manager, maxTimeStamp: -1)
      while let next = page {
        pages.append(next)
        page = try await target.continueFetch(syncManager: pushes.manager)
      }
      return "\(pages.flatMap(\.ids)) \(pages.flatMap(\.problems).map(\.name))"
    },
    FolderCall(name: "ids") { pushes in
      let ids: [RecordID] = ["a", "b", "c", "gone"]
      let present = try await pushes.folder.target.remoteIDs(
        among: ids,
        syncManager: pushes.manager
      )
      return "\(present.sorted())"
    },
    FolderCall(name: "versions") { pushes in
      let ids: [RecordID] = ["a", "b", "gone", "never"]
      let versions = try await pushes.versions(of: ids)
      return ids.map { "\($0): \(versions[$0].map { "\($0)" } ?? "none")" }.joined(separator: ", ")
    },
    FolderCall(name: "probe of an update") { "\(String(describing: try await $0.probe(update)))" },
    FolderCall(name: "probe of a delete") { "\(String(describing: try await $0.probe(delete)))" },
  ]

  private static func send(_ name: String, _ change: LocalChange) -> FolderCall {
    FolderCall(name: name) { "\(try await $0.send(change, .overwrite))" }
  }

  /// A folder with a few records, and one that was deleted.
  static func fill(_ folder: TestFolder) throws {
    try folder.put(base.json, at: "a.json")
    for id in ["b", "c", "d"] { try folder.put(RecordID(id), date: 5) }
    try folder.bury("gone", date: 6)
  }

  /// The first call of the file system after which the loss must be seen: an empty folder that is found
  /// is one without records, and a create makes the folder that it does not find.
  func firstHeld(_ loss: FolderOutageTests.Loss) -> Int {
    switch (name, loss) {
    case (_, .root): 1
    case ("create", .emptyCollection): 4
    case ("create", _), (_, .emptyCollection): 2
    default: 1
    }
  }
}
