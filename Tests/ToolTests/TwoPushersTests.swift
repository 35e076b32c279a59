import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// Two processes that push into one folder at the same time: they take turns, and nothing is lost.
@Suite(.timeLimit(.minutes(15)))
struct TwoPushersTests {
  /// Two state directories over one folder remote, and what was written to each.
  struct World {
    let directory: TestDirectory
    var random: SeededRandom
    /// The values that are still to be found, by who wrote them.
    var written: [String: String] = [:]
    private var count = 0

    init(mode: String, seed: UInt64) throws {
      directory = try TestDirectory()
      random = SeededRandom(seed: seed)
      try directory.write(
        "config.json",
        """
        {"syncs": [
          {"syncName": "up", "syncType": "syncUp", "soupName": "cities",
           "target": {"type": "folder", "path": "remote"}, "options": {"mergeMode": "\(mode)"}},
          {"syncName": "down", "syncType": "syncDown", "soupName": "cities",
           "target": {"type": "folder", "path": "remote"}, "options": {"mergeMode": "\(mode)"}}
        ]}
        """
      )
      for number in 0..<6 { try directory.put("r\(number)", name: "old \(number)") }
    }

    static let states = ["one", "two"]

    func state(_ name: String) -> URL {
      directory.url.appending(path: name, directoryHint: .isDirectory)
    }

    /// A value that nobody else writes.
    mutating func value(by name: String) -> JSON {
      count += 1
      let text = "\(name) \(count)"
      written[text] = name
      return .string(text)
    }

    /// Edits some records, of which others edit some too, and creates some.
    mutating func edit(_ name: String) async throws {
      let client = try await SyncClient.open(at: state(name))
      for _ in 0..<4 {
        let live = try await client.store.records(in: "cities", matching: .live)
        let chosen = live[Int(random.next() % UInt64(live.count))]
        let field = ["Name", "Mayor", name][Int(random.next() % 3)]
        let value = value(by: name)
        // Who edits has the record before his eyes: what he replaces is not lost.
        if let old = chosen.record[field]?.string { written[old] = nil }
        try await client.store.update(chosen.id, in: "cities") { $0[field] = value }
      }
      for _ in 0..<3 {
        try await client.store.create(["Made": value(by: name)], in: "cities")
      }
      try await client.close()
    }

    /// Runs the tool on both at the same time.
    func runBoth() async throws {
      let processes = try Self.states.map { name in
        try ToolProcess(
          ["run", "--config", "config.json", "--state", name],
          in: directory
        )
      }
      for process in processes {
        let result = try await process.result()
        #expect(result.status == 0, "\(result.errors)")
      }
    }

    /// The records in the folder.
    func files() throws -> [Record] {
      let folder = directory.url.appending(path: "remote/cities").path
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter(FolderName.isFile).map {
          try Record(json: SystemFileSystem().read("\(folder)/\($0)"))
        }
    }

    /// The conflicts of a state, decided in favour of what was written here where both have a field.
    mutating func decide(_ name: String) async throws {
      let client = try await SyncClient.open(at: state(name))
      for conflict in try await client.store.conflicts(in: "cities") {
        // Both sides were before somebody's eyes.
        for side in [conflict.local, conflict.remote] { drop(side) }
        try await client.store.resolve(conflict, with: .mergedPreferringLocal)
      }
      try await client.close()
    }

    /// What a record holds is not lost.
    mutating func drop(_ record: Record?) {
      for (_, value) in record?.object ?? [:] {
        if let text = value.string { written[text] = nil }
      }
    }
  }

  @Test(arguments: ["LEAVE_IF_CHANGED", "MERGE"], [1, 2] as [UInt64])
  func `at rest both have what the folder has, each create once, and no edit is gone`(
    mode: String,
    seed: UInt64
  ) async throws {
    var world = try World(mode: mode, seed: seed)
    try await world.runBoth()
    for _ in 1...3 {
      for name in World.states { try await world.edit(name) }
      try await world.runBoth()
      for name in World.states { try await world.decide(name) }
    }
    for _ in 1...4 {
      try await world.runBoth()
      for name in World.states { try await world.decide(name) }
    }
    let files = try world.files()
    for name in World.states {
      let client = try await SyncClient.open(at: world.state(name))
      #expect(try await client.store.pendingCount() == 0, "\(name)")
      let held = try await client.store.records(in: "cities").map(\.record.json)
      #expect(held.sorted() == files.map(\.json).sorted(), "\(name)")
      for item in try await client.store.setAside(in: "cities") { world.drop(item.record) }
      try await client.close()
      #expect(try await world.directory.tool("doctor", "--state", name).status == 0)
    }
    let made = files.compactMap { $0["Made"]?.string }
    #expect(made.count == 2 * 3 * 3)
    #expect(Set(made).count == made.count)
    #expect(files.count == 6 + made.count)
    for file in files { world.drop(file) }
    #expect(world.written == [:], "lost")
    // Neither lock nor temporary file stays behind.
    let folder = world.directory.url.appending(path: "remote/cities").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.filter { !FolderName.isFile($0) } == [])
  }

  @Test func `of an overwriting push and another the one that comes last stands, field by field`()
    async throws
  {
    let world = try World(mode: "OVERWRITE", seed: 3)
    try await world.runBoth()
    for round in 1...3 {
      for (name, field) in [("one", "A"), ("two", "B")] {
        let client = try await SyncClient.open(at: world.state(name))
        for number in 0..<6 {
          try await client.store.update(RecordID("r\(number)"), in: "cities") {
            $0[field] = .int64(Int64(round))
            $0["Both"] = .string("\(name) \(round)")
          }
        }
        try await client.close()
      }
      try await world.runBoth()
    }
    try await world.runBoth()
    let files = try world.files()
    #expect(files.count == 6)
    for file in files {
      // No push of an elder copy has undone what the other wrote.
      #expect((file["A"], file["B"]) == (3, 3), "\(file)")
      #expect(["one 3", "two 3"].contains(file["Both"]?.string), "\(file)")
    }
    for name in World.states {
      let client = try await SyncClient.open(at: world.state(name))
      let held = try await client.store.records(in: "cities").map(\.record.json)
      #expect(held.sorted() == files.map(\.json).sorted(), "\(name)")
      try await client.close()
    }
  }
}
