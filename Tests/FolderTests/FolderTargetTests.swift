import OfflineSync
import Testing

struct FolderTargetTests {
  @Test func `a target comes back from its configuration`() throws {
    var target = FolderTarget(
      URL(filePath: "/shared/my folder"),
      collection: "places",
      pageSize: 7
    )
    target.idFieldName = "Code"
    target.modificationDateFieldName = "changed"
    #expect(try FolderTarget(configuration: target.configuration) == target)
    #expect(
      target.configuration == [
        "path": "/shared/my folder", "collection": "places", "pageSize": 7, "idFieldName": "Code",
        "modificationDateFieldName": "changed",
      ]
    )
    #expect(FolderTarget.targetType == "folder")
    #expect(target.isSortedByModificationDate)
    #expect(target.totalSize == nil)
    #expect(target.versionFieldName == "changed")
  }

  @Test func `a path alone is enough, and is relative to the file it stands in`() throws {
    let base = URL(filePath: "/etc/sync", directoryHint: .isDirectory)
    let target = try FolderTarget(
      configuration: ["type": "folder", "path": "remote"],
      collection: "places",
      relativeTo: base
    )
    #expect(target == FolderTarget(URL(filePath: "/etc/sync/remote"), collection: "places"))
    #expect(target.path == "/etc/sync/remote")
    #expect((target.pageSize, target.idFieldName) == (200, "Id"))
    #expect(target.modificationDateFieldName == "lastModifiedDate")
    let absolute = try FolderTarget(configuration: ["path": "/srv/remote/"], relativeTo: base)
    #expect(absolute.path == "/srv/remote")
    #expect(absolute.configuration["collection"] == nil)
    #expect(try FolderTarget(configuration: ["path": "/"]).path == "/")
  }

  @Test(
    arguments: [
      ([], "no object"), ("remote", "no object"), ([:], #""path""#),
      (["path": ""], #""path""#), (["path": 1], #""path""#), (["path": "a\0b"], #""path""#),
      (["path": "/r", "type": "http"], #""type""#), (["path": "/r", "type": 1], #""type""#),
      (["path": "/r", "pageSize": 0], #""pageSize""#),
      (["path": "/r", "pageSize": -1], #""pageSize""#),
      (["path": "/r", "pageSize": 1.5], #""pageSize""#),
      (["path": "/r", "pageSize": "10"], #""pageSize""#),
      (["path": "/r", "pagesize": 10], #""pagesize""#),
      (["path": "/r", "collection": ""], #""collection""#),
      (["path": "/r", "collection": "../other"], #""collection" "../other""#),
      (["path": "/r", "collection": "."], #""collection" ".""#),
      (["path": "/r", "collection": ".hidden"], #""collection" ".hidden""#),
      (["path": "/r", "collection": "a/b"], #""collection" "a/b""#),
      (["path": "/r", "idFieldName": .null], #""idFieldName""#),
      (["path": "/r", "modificationDateFieldName": "Id"], #""modificationDateFieldName""#),
    ] as [(JSON, String)]
  )
  func `a mistake in the configuration is named`(configuration: JSON, key: String) {
    let failure = #expect(throws: SyncError.self) {
      try FolderTarget(configuration: configuration)
    }
    #expect(failure?.code == .configInvalid)
    #expect(failure?.message.contains(key) == true)
  }

  @Test func `every file of the demo counts`() async throws {
    let remote = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/demo/remote", directoryHint: .isDirectory)
    for (name, count) in [("countries", 249), ("timezones", 312)] {
      let collection = try FolderCollection(
        name,
        below: FolderTarget(remote, collection: name).path,
        files: SystemFileSystem(),
        idField: "Id",
        dateField: "lastModifiedDate"
      )
      var scan = FolderScan(
        collection,
        newerThan: -1,
        differ: { $0.map { _ in true } },
        held: { $0.map { _ in false } }
      )
      let entries = try await scan.run()
      #expect(entries.count == count)
      #expect(entries.allSatisfy { $0.kind == .record && $0.date != nil })
      #expect(entries.allSatisfy { $0.name == FolderName.file(of: $0.id) })
      #expect(Set(entries.map(\.date)).count < count, "some share an instant")
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
