import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization
import Testing

/// Kinto as it is, with its records in memory.
@Suite(
  .timeLimit(.minutes(15)),
  .enabled("Kinto cannot be had here") { try await Servers.kinto() != nil }
)
struct KintoTests {
  @Test
  func `Records go up and come down byte by byte, edits and deletions too`() async throws {
    try await Servers.withKinto { server in
      let anna = try await KintoDevice(server) { $0.pageSize = 2 }
      let ben = try await KintoDevice(server, name: "ben") { $0.pageSize = 2 }
      let body =
        #"{"name":"Ü \"x\"","big":12345678901234567890,"list":[1,null,{"a":{}}],"none":null}"#
      for _ in 0..<5 { try await anna.store.create(Record(json: body), in: "contacts") }
      #expect(try await anna.run("up").counts.sent == 5)
      #expect(try await ben.run("down").counts.stored == 5)
      try await anna.run("down")
      #expect(try await anna.records() == ben.records())
      let ids = try await ben.store.records(in: "contacts").map(\.id)
      let pulled = try #require(try await ben.store.record(ids[0], in: "contacts")?.record)
      #expect(pulled["big"] == (try JSON(parsing: "12345678901234567890")))
      #expect(pulled["none"] == .null && pulled["name"] == "Ü \"x\"")

      try await ben.store.update(ids[0], in: "contacts") { record in
        record["name"] = "Ben"
        record["list"] = nil
      }
      try await ben.store.delete(ids[1], in: "contacts")
      #expect(try await ben.run("up").counts.sent == 2)
      let state = try await anna.run("down")
      #expect(state.counts.deleted == 1)
      let edited = try #require(try await anna.store.record(ids[0], in: "contacts")?.record)
      #expect(edited["name"] == "Ben" && edited["list"] == nil && edited["none"] == .null)
      #expect(try await anna.store.record(ids[1], in: "contacts") == nil)
      try await ben.run("down")
      #expect(try await anna.records() == ben.records())
      #expect(try await anna.store.pendingCount() == 0)
    }
  }

  @Test
  func `Whoever wrote on an older version is told of the newer one, unless it overwrites`()
    async throws
  {
    try await Servers.withKinto(records: 4) { server in
      let anna = try await KintoDevice(server)
      try await anna.run("down")
      let manager = anna.manager
      let stale = [
        try await anna.change("r000000", .updated, ["note": "Anna"]),
        try await anna.change("r000001", .deleted),
        try await anna.change("r000002", .updated, ["note": "Anna"]),
        try await anna.change("r000003", .updated, ["note": "Anna"]),
      ]
      let ben = try await KintoDevice(server, .overwrite, name: "ben")
      try await ben.run("down")
      for id in ["r000000", "r000001"] as [RecordID] {
        try await ben.store.update(id, in: "contacts") { $0["name"] = "Ben" }
      }
      try await ben.store.delete("r000003", in: "contacts")
      try await ben.run("up")
      let outcomes = try await anna.target.push(stale, syncManager: manager)
      for outcome in outcomes[..<2] {
        guard case .conflict(let remote?) = outcome else {
          Issue.record("no conflict: \(outcome)")
          continue
        }
        #expect(remote["name"] == "Ben" && remote["note"] == "as it was")
      }
      guard case .updated(let record?) = outcomes[2] else {
        Issue.record("not updated: \(outcomes[2])")
        return
      }
      #expect(record["note"] == "Anna" && record["name"] == "Name 2")
      #expect(outcomes[3] == .missing)
      // Sent again, as after a lost answer, it is found to have arrived.
      guard
        case .updated(record: record) = try await anna.target.push(
          [stale[2]],
          syncManager: manager
        )[0]
      else {
        Issue.record("a repeated update is a conflict")
        return
      }
    }
  }

  @Test
  func `An overwriting update keeps the fields that others wrote, and takes away what was removed`()
    async throws
  {
    try await Servers.withKinto(records: 2) { server in
      let anna = try await KintoDevice(server, .overwrite)
      let ben = try await KintoDevice(server, .overwrite, name: "ben")
      for device in [anna, ben] { try await device.run("down") }
      for id in ["r000000", "r000001"] as [RecordID] {
        try await ben.store.update(id, in: "contacts") { $0["name"] = "Ben" }
      }
      try await ben.run("up")
      try await anna.store.update("r000000", in: "contacts") { $0["number"] = .null }
      try await anna.store.update("r000001", in: "contacts") { record in
        record["number"] = nil
        record["a/b~c"] = "new"
      }
      #expect(try await anna.run("up").counts.sent == 2)
      for device in [anna, ben] { try await device.run("down") }
      #expect(try await anna.records() == ben.records())
      let first = try #require(try await anna.records()["r000000"])
      #expect(first["name"] == "Ben" && first["number"] == .null)
      let second = try #require(try await anna.records()["r000001"])
      #expect(second["name"] == "Ben" && second["number"] == nil && second["a/b~c"] == "new")
    }
  }

  @Test
  func `A create whose answer was lost makes one record, and a probe tells what arrived`()
    async throws
  {
    try await Servers.withKinto(records: 2) { server in
      let anna = try await KintoDevice(server)
      let manager = anna.manager
      let creation = KintoDevice.creation(["name": "New"])
      let id = RecordID(creation.operationID)
      #expect(try await anna.target.probe(creation, syncManager: manager) == nil)
      for _ in 0..<2 {
        let outcomes = try await anna.target.push([creation], syncManager: manager)
        guard case .created(id, let record?) = outcomes[0] else {
          Issue.record("not created: \(outcomes)")
          return
        }
        #expect(record["name"] == "New")
      }
      guard case .created(id, _?) = try await anna.target.probe(creation, syncManager: manager)
      else {
        Issue.record("the created record is not found")
        return
      }
      #expect(try await anna.run("down").counts.stored == 3)
      let update = try await anna.change("r000000", .updated, ["note": "x"])
      let deletion = try await anna.change(id, .deleted)
      #expect(try await anna.target.probe(update, syncManager: manager) == nil)
      #expect(try await anna.target.probe(deletion, syncManager: manager) == nil)
      _ = try await anna.target.push([update, deletion], syncManager: manager)
      guard case .updated = try await anna.target.probe(update, syncManager: manager) else {
        Issue.record("the update is not found")
        return
      }
      #expect(try await anna.target.probe(deletion, syncManager: manager) == .deleted)
      #expect(
        try await anna.target.probe(creation, syncManager: manager) == .created(id: id),
        "deleted since, it must not come back"
      )
    }
  }
}
