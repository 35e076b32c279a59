import OfflineSync
import OfflineSyncTesting
import Testing

/// Parents and children over the folder remote: who goes first, who waits, and what all have at rest.
@Suite(.timeLimit(.minutes(15)))
struct FamilyTests {
  private static let modes: [MergeMode] = [.overwrite, .leaveIfChanged, .merge]

  @Test(arguments: modes)
  func `a created parent goes up with its created children, over all levels, in one round`(
    mode: MergeMode
  ) async throws {
    let family = try await Family(mode)
    let home = try await family.household("a", on: 0)
    let report = try await family.sync(0)
    #expect(report.succeeded)
    #expect(try await family.store(0).pendingCount() == 0)
    try await family.sync(1)
    try await family.check()
    let house = try #require(try family.record(named: "a house"))["Id"]
    let person = try #require(try family.record(named: "a person"))
    let child = try #require(try family.record(named: "a child"))
    #expect((person["House"], child["House"]) == (house, house))
    #expect(child["Parent"] == person["Id"])
    #expect(try family.record(named: "a pet")?["Owner"] == child["Id"])
    let task = try family.record(named: "a task")
    #expect((task?["House"], task?["Person"]) == (house, child["Id"]))
    // The first ids stay good where the records were made.
    #expect(try await family.stored(home.pet, "pets", on: 0)?.record["Owner"] == child["Id"])

    // The other device adds to each level, and the first edits what it made.
    let childID = try #require(child["Id"])
    try await family.store(1).create(["Name": "b pet", "Owner": childID], in: "pets")
    try await family.store(1).create(["Name": "b child", "Parent": childID], in: "people")
    try await family.set("Name", to: "a pet, older", of: home.pet, "pets", on: 0)
    try await family.rest()
    try await family.check()
    #expect(try family.record(named: "b child")?["Parent"] == child["Id"])
    #expect(try family.records("pets").count == 2)
  }

  @Test(arguments: modes)
  func `a create whose answer was lost holds its children, and no longer`(mode: MergeMode)
    async throws
  {
    let family = try await Family(mode)
    let home = try await family.household("a", on: 0)
    family.line.befall("a house", .replyLost)
    #expect(!(try await family.sync(0).succeeded))
    #expect(try family.records("houses").count == 1)
    #expect(try family.records("people").isEmpty)
    #expect(try await family.store(0).explain(home.child, in: "people").waitsFor.count == 2)
    try await family.rest()
    try await family.check()
    #expect(try family.records("houses").count == 1)
    #expect(try family.records("people").count == 2)
  }

  @Test(arguments: modes)
  func `a parent that is deleted in the folder parks new children, and lets old ones go`(
    mode: MergeMode
  ) async throws {
    let family = try await Family(mode)
    let home = try await family.household("a", on: 0)
    try await family.rest()
    let house = try #require(try await family.stored(home.house, "houses", on: 0)?.id)
    let new = try await family.store(0).create(
      ["Name": "new", "House": house.token],
      in: "people"
    )
    let grandchild = try await family.store(0).create(
      ["Name": "grandchild", "Owner": new.token],
      in: "pets"
    )
    try await family.set("Name", to: "old", of: home.person, "people", on: 0)
    try await family.store(1).delete(house, in: "houses")
    try await family.sync(1)
    #expect(try family.records("houses").isEmpty)
    // The news of the tombstone is here before the push.
    try await family.clients[0].manager.reSync("housesDown")
    try await family.sync(0)
    let told = try #require(try await family.stored(new, "people", on: 0)?.lastError)
    #expect((told.code, told.isRetryable) == ("DEPENDENCY", false))
    #expect(try await family.store(0).explain(grandchild, in: "pets").waitsFor == [new])
    #expect(try family.record(named: "new") == nil)
    #expect(try family.record(named: "grandchild") == nil)
    #expect(try family.record(named: "old")?["House"] == house.token)
    // It moves to another house, and everything follows.
    let other = try await family.store(0).create(["Name": "other"], in: "houses")
    try await family.set("House", to: other.token, of: new, "people", on: 0)
    #expect(try await family.sync(0).succeeded)
    try await family.rest()
    try await family.check()
    #expect(
      try family.record(named: "new")?["House"] == family.record(named: "other")?["Id"]
    )
    #expect(
      try family.record(named: "grandchild")?["Owner"] == family.record(named: "new")?["Id"]
    )
  }

  @Test func `a parent that comes back by hand lets its parked children go`() async throws {
    let family = try await Family()
    try family.write(["Id": "h", "Name": "h", "lastModifiedDate": "2025-11-28"], "houses")
    try await family.rest()
    let child = try await family.store(0).create(["Name": "c", "House": "h"], in: "people")
    try await family.store(1).delete("h", in: "houses")
    try await family.sync(1)
    try await family.clients[0].manager.reSync("housesDown")
    try await family.sync(0)
    #expect(try await family.store(0).explain(child, in: "people").isParked)
    try family.write(["Id": "h", "Name": "h", "lastModifiedDate": "2025-12-28"], "houses")
    // One round learns of it, and the next one, which run() has soon, sends.
    for _ in 1...2 { try await family.sync(0) }
    try await family.sync(1)
    try await family.check()
    #expect(try family.record(named: "c")?["House"] == "h")
  }

  @Test(arguments: modes)
  func `a child moves to a created parent, and back to another one`(mode: MergeMode) async throws {
    let family = try await Family(mode)
    let home = try await family.household("a", on: 0)
    try await family.rest()
    let house = try await family.store(0).create(["Name": "b house"], in: "houses")
    let head = try await family.store(0).create(
      ["Name": "b head", "House": house.token],
      in: "people"
    )
    try await family.set("House", to: house.token, of: home.child, "people", on: 0)
    try await family.set("Parent", to: head.token, of: home.child, "people", on: 0)
    try await family.set("Owner", to: head.token, of: home.pet, "pets", on: 0)
    #expect(try await family.sync(0).succeeded)
    try await family.sync(1)
    try await family.check()
    let child = try #require(try family.record(named: "a child"))
    #expect(child["House"] == (try family.record(named: "b house")?["Id"]))
    #expect(child["Parent"] == (try family.record(named: "b head")?["Id"]))
    #expect(try family.record(named: "a pet")?["Owner"] == child["Parent"])

    // The other device takes it back, while the first changes what has nothing to do with it.
    let old = try #require(try family.record(named: "a house")?["Id"])
    let id = try #require(child.id(field: "Id"))
    try await family.set("House", to: old, of: id, "people", on: 1)
    try await family.set("Name", to: "a head", of: head, "people", on: 0)
    try await family.sync(1)
    try await family.rest()
    try await family.check()
    #expect(try family.record(named: "a child")?["House"] == old)
    #expect(try family.record(named: "a head") != nil)
  }

  @Test(arguments: modes)
  func `a changed child of an unchanged parent is pulled, at every level`(mode: MergeMode)
    async throws
  {
    let family = try await Family(mode)
    let home = try await family.household("a", on: 0)
    try await family.rest()
    for (name, first) in [
      ("people", home.person), ("people", home.child), ("pets", home.pet), ("tasks", home.task),
    ] {
      let id = try #require(try await family.stored(first, name, on: 0)?.id)
      try await family.set("Name", to: .string("new \(id)"), of: id, name, on: 1)
      try await family.sync(1)
      let report = try await family.sync(0)
      let pulled = report.syncs.filter { $0.direction == .syncDown && $0.counts.stored > 0 }
      #expect(pulled.map(\.name) == ["\(name)Down"])
      #expect(try await family.stored(id, name, on: 0)?.record["Name"] == .string("new \(id)"))
      try await family.check()
    }
  }

  @Test(arguments: modes)
  func `cycles within and between collections are closed in one round`(mode: MergeMode)
    async throws
  {
    let family = try await Family(mode)
    let store = family.store(0)
    for (id, parent) in [("a", "b"), ("b", "c"), ("c", "a"), ("self", "self")] {
      try await store.create(
        ["Id": .string("local_\(id)"), "Name": .string(id), "Parent": .string("local_\(parent)")],
        in: "people"
      )
    }
    try await store.create(
      ["Id": "local_house", "Name": "house", "Head": "local_head"],
      in: "houses"
    )
    try await store.create(
      ["Id": "local_head", "Name": "head", "House": "local_house"],
      in: "people"
    )
    #expect(try await family.sync(0).succeeded)
    #expect(try await store.pendingCount() == 0)
    try await family.sync(1)
    try await family.check()
    func id(_ name: String) throws -> JSON? { try family.record(named: name)?["Id"] }
    for (name, parent) in [("a", "b"), ("b", "c"), ("c", "a"), ("self", "self")] {
      #expect(try family.record(named: name)?["Parent"] == id(parent))
    }
    #expect(try family.record(named: "house")?["Head"] == id("head"))
    #expect(try family.record(named: "head")?["House"] == id("house"))
  }

  @Test(arguments: modes)
  func `children of a parked create are told, and follow it once it goes`(mode: MergeMode)
    async throws
  {
    let family = try await Family(mode)
    let home = try await family.household("a", on: 0)
    family.line.befall("a house", .refused)
    #expect(!(try await family.sync(0).succeeded))
    for (id, name) in [(home.person, "people"), (home.child, "people"), (home.task, "tasks")] {
      let told = try #require(try await family.stored(id, name, on: 0)?.lastError)
      #expect((told.code, told.isRetryable) == ("DEPENDENCY", true))
    }
    #expect(try await family.store(0).explain(home.pet, in: "pets").waitsFor == [home.child])
    for name in Family.collections { #expect(try family.records(name).isEmpty) }
    family.line.befall("a house", nil)
    try await family.store(0).retry(home.house, in: "houses")
    #expect(try await family.sync(0).succeeded)
    try await family.rest()
    try await family.check()
    #expect(try family.records("people").count == 2)
  }

  // MARK: - At random

  @Test(arguments: 1...6)
  func `whoever makes, moves and deletes relatives, all have the same at rest`(_ seed: UInt64)
    async throws
  {
    let label = "seed \(seed)"
    let family = try await Family(devices: 2 + Int(seed % 2), seed: seed)
    var random = SeededRandom(seed: seed)
    var made = 0
    for _ in 0..<50 {
      let place = Int(random.next() % UInt64(family.clients.count))
      let name = Family.collections[Int(random.next() % UInt64(Family.collections.count))]
      let present = try await family.store(place).records(in: name, matching: .live)
      let chosen = present.isEmpty ? nil : present[Int(random.next() % UInt64(present.count))]
      switch (random.next() % 10, chosen) {
      case (0, let chosen?): try await family.store(place).delete(chosen.id, in: name)
      case (1, _), (2, _): try await family.sync(place)
      case (3...5, let chosen?):
        let field = try await relative(of: name, of: family, on: place, &random)
        try await family.set(field.name, to: field.value, of: chosen.id, name, on: place)
      default:
        made += 1
        let field = try await relative(of: name, of: family, on: place, &random)
        var record: Record = ["Name": .string("\(made)")]
        record[field.name] = field.value
        try await family.store(place).create(record, in: name)
      }
    }
    try await family.rest()
    try await family.check(label)
    let names = try Family.collections.flatMap(family.records).compactMap { $0["Name"]?.string }
    #expect(Set(names).count == names.count, "\(label): a create came twice")
  }

  /// A reference field of a collection, and a record that it can name; nil: nobody.
  private func relative(
    of name: String,
    of family: Family,
    on place: Int,
    _ random: inout SeededRandom
  ) async throws -> (name: String, value: JSON?) {
    let fields = (Family.references[name] ?? [:]).sorted { $0.key < $1.key }
    let (field, collection) = fields[Int(random.next() % UInt64(fields.count))]
    let others = try await family.store(place).records(in: collection, matching: .live)
    guard !others.isEmpty, random.next() % 5 > 0 else { return (field, nil) }
    return (field, others[Int(random.next() % UInt64(others.count))].id.token)
  }
}
