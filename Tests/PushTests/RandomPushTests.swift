import OfflineSync
import OfflineSyncTesting
import Testing

/// A device that edits, pushes, pulls and dies at random, beside another one that edits too.
@Suite(.timeLimit(.minutes(15)))
struct RandomPushTests {
  @Test(arguments: 1...40)
  func `in the end both sides have every last edit, each record once`(_ seed: UInt64) async throws {
    var life = try await Life(seed: seed)
    for _ in 0..<60 { try await life.step() }
    try await life.settle()
    try await life.check()
  }

  /// What a record should be in the end, by a key that no side changes.
  struct Wish: Equatable {
    /// What this device last wrote.
    var name: String
    /// What the other device last wrote.
    var other: Int64?
    /// The key of the record that it refers to.
    var manager: String?
  }

  struct Life {
    var random: SeededRandom
    let seed: UInt64
    let server: ScriptedServer
    var device: Device
    let isPartial: Bool
    let batchSize: Int
    var wishes: [String: Wish] = [:]
    var ids: [String: RecordID] = [:]
    var lastNumber = 0
    var log: [String] = []

    init(seed: UInt64) async throws {
      random = SeededRandom(seed: seed)
      self.seed = seed
      var behaviour = ScriptedServer.Behaviour()
      behaviour.honoursOperationIDs = random.next() % 2 == 0
      behaviour.answersProbes = !behaviour.honoursOperationIDs
      behaviour.answersWithRecords = random.next() % 2 == 0
      behaviour.checksVersions = random.next() % 2 == 0
      isPartial = random.next() % 2 == 0
      batchSize = Int(random.next() % 4)
      server = ScriptedServer(behaviour: behaviour)
      device = try await Device()
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private mutating func someKey() -> String? {
      let keys = wishes.keys.sorted()
      return keys.isEmpty ? nil : keys[below(keys.count)]
    }

    mutating func step() async throws {
      let store = device.store
      switch below(14) {
      case 0, 1:
        let key = number()
        let name = "n\(number())"
        ids[key] = try await store.create(
          ["Key": .string(key), "Name": .string(name)],
          in: "contacts"
        )
        wishes[key] = Wish(name: name)
        log.append("create \(key) \(name)")
      case 2, 3, 4: try await edit()
      case 12: try await move()
      case 5:
        guard let key = someKey(), let id = ids[key] else { return }
        try await store.delete(id, in: "contacts")
        wishes[key] = nil
        log.append("delete \(key)")
      case 6, 7: other()
      case 8: try await pull()
      case 9:
        device = try await device.afterKill()
        log.append("kill")
      default: try await push(isDisturbed: true)
      }
    }

    private mutating func edit() async throws {
      guard let key = someKey(), let id = ids[key] else { return }
      let name = "n\(number())"
      try await device.set("Name", to: .string(name), of: id)
      wishes[key]?.name = name
      log.append("edit \(key) \(name)")
    }

    /// Lets a record refer to another one, or to itself.
    private mutating func move() async throws {
      guard let key = someKey(), let id = ids[key], let manager = someKey(),
        let managerID = ids[manager]
      else { return }
      try await device.set("Manager", to: managerID.token, of: id)
      wishes[key]?.manager = manager
      log.append("move \(key) to \(manager)")
    }

    /// The other device changes a field of its own in a record that is there.
    private mutating func other() {
      let records = server.records
      guard !records.isEmpty else { return }
      let record = records[below(records.count)]
      guard let id = record.id(field: "Id"), let key = record["Key"]?.string else { return }
      lastNumber += 1
      server.set("Other", to: .int64(Int64(lastNumber)), of: id)
      wishes[key]?.other = Int64(lastNumber)
      log.append("other \(key) \(lastNumber)")
    }

    private mutating func number() -> String {
      lastNumber += 1
      return "\(lastNumber)"
    }

    private mutating func pull() async throws {
      try await device.pull(server, .merge)
      try await resolve()
      log.append("pull")
    }

    /// What is deleted here and changed there stays deleted.
    private mutating func resolve() async throws {
      for conflict in try await device.store.conflicts(in: "contacts") {
        log.append("conflict of \(conflict.id): \(conflict)")
        #expect(conflict.local == nil, "seed \(seed): \(log.joined(separator: "\n"))")
        guard conflict.remote != nil || conflict.isRemoteDeleted else { continue }
        try await device.store.resolve(conflict, with: .local)
      }
    }

    private mutating func push(isDisturbed: Bool) async throws {
      if isDisturbed {
        for next in 1...3 where below(2) == 0 { disturb(next) }
      }
      let options = SyncOptions(mergeMode: .merge, references: ["Manager": "contacts"])
      let state: SyncState
      if batchSize > 0 {
        var target = ScriptedBatchUpTarget(server, maxBatchSize: batchSize)
        target.acceptsPartialUpdates = isPartial
        state = try await device.manager.ensureSyncUp(
          target: target,
          collection: "contacts",
          options: options,
          name: "up"
        ).run()
      } else {
        var target = ScriptedUpTarget(server)
        target.acceptsPartialUpdates = isPartial
        state = try await device.manager.ensureSyncUp(
          target: target,
          collection: "contacts",
          options: options,
          name: "up"
        ).run()
      }
      log.append("push \(line(state)) \(state.counts)")
      try await resolve()
    }

    private mutating func disturb(_ next: Int) {
      let failure = RecordFailure(code: "BAD", message: "no", isRetryable: below(2) == 0)
      let replies: [ScriptedServer.Reply] = [
        .failure(offline), .failure(OddError()), .lostReply(offline), .lostReply(OddError()),
        .shortAnswer(below(2)), .outcome(.failed(failure)), .outcome(.skipped(reason: "later")),
        .outcome(.unknown),
      ]
      let reply = replies[below(replies.count)]
      server.reply(toFutureSend: next, with: reply)
      log.append("disturb \(next) \(reply)")
    }

    mutating func settle() async throws {
      server.forgetReplies()
      for _ in 0..<6 {
        for id in try await device.dirty() { try await device.store.retry(id, in: "contacts") }
        try await push(isDisturbed: false)
        try await pull()
      }
    }

    func check() async throws {
      let told: Comment = "seed \(seed): \(log.joined(separator: "\n"))"
      #expect(try await device.store.pendingCount() == 0, told)
      let records = server.records
      #expect(records.count == wishes.count, told)
      var found: [String: Wish] = [:]
      for record in records {
        let key = record["Key"]?.string ?? "?"
        var wish = Wish(name: record["Name"]?.string ?? "?", other: record["Other"]?.int64)
        wish.manager = record["Manager"]?.string
          .flatMap { server[RecordID($0)]?["Key"]?.string }
        // What refers to a deleted record may name it as it likes.
        if let manager = wishes[key]?.manager, wishes[manager] == nil { wish.manager = manager }
        found[key] = wish
        let id = try #require(record.id(field: "Id"))
        #expect(try await fields(device.stored(id)?.record) == fields(record), told)
      }
      #expect(found == wishes, told)
      #expect(try await device.store.count(in: "contacts") == records.count, told)
    }
  }
}
