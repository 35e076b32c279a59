import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization
import Testing

/// Where a fetch begins, what it misses, and what ends it.
@Suite(
  .timeLimit(.minutes(15)),
  .enabled("Kinto cannot be had here") { try await Servers.kinto() != nil }
)
struct KintoCursorTests {
  @Test
  func `What is deleted while a first fetch runs is gone after it`() async throws {
    try await Servers.withKinto(records: 9) { server in
      let anna = try await KintoDevice(server)
      let ben = try await KintoDevice(server, .overwrite, name: "ben")
      try await ben.run("down")
      var target = anna.target
      target.pageSize = 4
      let first = try #require(
        try await target.startFetch(syncManager: anna.manager, maxTimeStamp: -1)
      )
      #expect(first.records.count == 4 && target.totalSize == 9)
      // Deleted, and then something newer than the deletion, which becomes the cursor.
      try await ben.store.delete("r000000", in: "contacts")
      try await ben.run("up")
      try await ben.store.update("r000008", in: "contacts") { $0["note"] = "later" }
      try await ben.run("up")
      // Another process goes on with what the first one stored.
      var other = try KintoDevice.target(server)
      other.pageSize = 4
      other.checkpoint = target.checkpoint
      var deleted: [RecordID] = []
      var ids = first.records.map { $0["id"]?.string }
      while let page = try await other.continueFetch(syncManager: anna.manager) {
        ids += page.records.map { $0["id"]?.string }
        deleted += page.deletedIDs
      }
      #expect(ids.count == 9 && Set(ids).count == 9)
      #expect(deleted == ["r000000"])
    }
  }

  @Test
  func `A pull of nothing new brings nothing, and with no overlap asks for nothing`() async throws {
    try await Servers.withKinto(records: 3) { server in
      let anna = try await KintoDevice(server) { $0.overlap = .zero }
      #expect(try await anna.run("down").counts.stored == 3)
      #expect(try await anna.run("down").counts.fetched == 0)
      let ben = try await KintoDevice(server, name: "ben")
      try await ben.run("down")
      try await ben.store.update("r000001", in: "contacts") { $0["note"] = "Ben" }
      try await ben.run("up")
      let state = try await anna.run("down")
      #expect(state.counts.fetched == 1 && state.counts.stored == 1)
      let again = try await ben.run("down")
      #expect(again.counts.stored == 0, "what is read again is recognised")
    }
  }

  @Test
  func `A collection that was emptied and filled anew is fetched whole`() async throws {
    try await Servers.withKinto(records: 3) { server in
      let anna = try await KintoDevice(server)
      try await anna.run("down")
      var target = anna.target
      // As if it had been read before the server lost its last hour.
      let newest = try #require(await anna.manager.getSyncStatus("down")?.maxTimeStamp)
      target.checkpoint = ["since": .int64(newest + 3_600_000)]
      await #expect(throws: SyncError(.cursorExpired, "")) {
        try await target.startFetch(syncManager: anna.manager, maxTimeStamp: 0)
      }
    }
  }

  @Test
  func `Ghosts are found by id, numbers in disguise among them`() async throws {
    try await Servers.withKinto(records: 300) { server in
      let anna = try await KintoDevice(server)
      try await anna.run("down")
      let ids = try await anna.store.records(in: "contacts").map(\.id)
      let there = try await anna.target.remoteIDs(
        among: ids + ["007", "no", "local_ü", "a b", "\"", ","],
        syncManager: anna.manager
      )
      #expect(there == Set(ids))
      let transport = try HTTPTransport(to: server.url) { _ in "Basic YTpi" }
      let path = "/v1/buckets/app/collections/contacts/records/007"
      let put = HTTPRequest("PUT", try server.url(path), json: ["data": ["name": "Bond"]])
      #expect(try await transport.send(put).status == 201)
      let bond = try await anna.target.remoteIDs(among: ["007", "7"], syncManager: anna.manager)
      #expect(bond == ["007"])
      let versions = try await anna.target.remoteVersions(
        of: ["007", "7"],
        syncManager: anna.manager
      )
      #expect(versions["7"] == nil && versions["007"]?.record?["name"] == "Bond")
    }
  }

  @Test
  func
    `A collection that is not there, and a user who may not read, fail the run with the server's word`()
    async throws
  {
    try await Servers.withKinto { server in
      let device = try await KintoDevice(server)
      let manager = device.manager
      let transport = try HTTPTransport(to: server.url) { _ in "Basic YTpi" }
      let none = KintoTarget(
        try server.url("/v1"),
        bucket: "app",
        collection: "none",
        transport: transport
      )
      let missing = try await manager.syncDown(target: none, collection: "contacts")
      #expect(missing.status == .failed && missing.errorCode == "SYNC_TARGET_FAILED")
      #expect(missing.error?.contains("404") == true)
      let stranger = KintoTarget(
        try server.url("/v1"),
        bucket: "app",
        collection: "contacts",
        transport: try HTTPTransport(to: server.url)
      )
      let refused = try await manager.syncDown(target: stranger, collection: "contacts")
      #expect(refused.status == .failed && refused.errorCode == "AUTHENTICATION")
      #expect(refused.error?.contains("Please authenticate yourself") == true)
      await #expect(throws: SyncError(.authentication, "")) {
        try await stranger.push([KintoDevice.creation(["a": 1])], syncManager: manager)
      }
    }
  }

  @Test
  func `A token that ran out is renewed once for a batch in which the server knows nobody`()
    async throws
  {
    try await Servers.withKinto { server in
      let device = try await KintoDevice(server)
      let asked = Mutex<[String?]>([])
      let transport = try HTTPTransport(to: server.url) { refused in
        asked.withLock { $0.append(refused) }
        return refused == nil ? "Bearer old" : "Basic YTpi"
      }
      let target = KintoTarget(
        try server.url("/v1"),
        bucket: "app",
        collection: "contacts",
        transport: transport
      )
      let outcomes = try await target.push(
        [KintoDevice.creation(["a": 1]), KintoDevice.creation(["a": 2])],
        syncManager: device.manager
      )
      for outcome in outcomes {
        guard case .created(_, _?) = outcome else {
          Issue.record("not created: \(outcome)")
          return
        }
      }
      #expect(asked.withLock { $0 } == [nil, nil, "Bearer old"], "the root needs no name")
    }
  }
}
