import OfflineSync

extension Demo {
  /// Lets the phone's network fail in the middle of a push, and lose a reply.
  func failPushes(_ clients: Clients) async throws {
    try say("\n4. The network fails while the phone pushes")
    try await cutPush(clients)
    try await loseReply(clients)
  }

  /// Five changes, of which two get through.
  private func cutPush(_ clients: Clients) async throws {
    let collection = "timezones"
    let text: JSON = "mountain time"
    let ids: [RecordID] = [
      "America/Boise", "America/Denver", "America/Edmonton", "America/Phoenix",
      "America/Cambridge_Bay",
    ]
    for id in ids { try await edit(clients.phone, id, in: collection, "Comment", text) }
    let before = await phone.network.sentChanges
    await phone.network.cut(afterChanges: 2)
    let state = try await clients.phone.manager.reSync("timezonesUp")
    try expect(state.status == .failed && state.errorCode == "NETWORK", "the run has failed")
    try expect(try arrived(ids, text) == 2, "two changes are in the folder")
    var pending = try await clients.phone.store.pendingCount(in: collection)
    try expect(pending == 3, "three changes wait")
    try say(
      "   5 edits, then the line is cut: timezonesUp \(state.status), \(state.errorCode ?? "")"
    )
    try say("      \(state.counts.sent) are in the folder, \(pending) wait on the phone")
    await phone.network.mend()
    let sent = try await run("timezonesUp", clients.phone).sent
    let sends = await phone.network.sentChanges - before
    pending = try await clients.phone.store.pendingCount(in: collection)
    try expect(sent == 3 && sends == 5, "each change was sent once")
    try expect(try arrived(ids, text) == 5 && pending == 0, "all changes are in the folder")
    try say("      the next round sends \(sent): \(sends) sends in all, none twice, none lost")
  }

  private func arrived(_ ids: [RecordID], _ text: JSON) throws -> Int {
    try ids.count { try folder.record($0, in: "timezones")["Comment"] == text }
  }

  /// A create that arrives, and whose reply does not.
  private func loseReply(_ clients: Clients) async throws {
    let collection = "countries"
    let record: Record = ["Name": "Atlantis", "TimeZones": ["Atlantic/Azores"]]
    let id = try await clients.phone.store.create(record, in: collection)
    let before = await phone.network.sentChanges
    await phone.network.loseNextReply()
    let state = try await clients.phone.manager.reSync("countriesUp")
    try expect(state.status == .failed, "the run has failed")
    let why = try await clients.phone.store.explain(id, in: collection)
    try expect(why.isOutcomeUnknown, "nobody knows whether the create arrived")
    try expect(try atlantises() == 1, "the create has arrived")
    try say("   Atlantis is created; it arrives, and the reply is lost")
    try say("      countriesUp \(state.status): the phone does not know, and will ask")
    try await round(clients.phone)
    let sends = await phone.network.sentChanges - before
    let newID = try await clients.phone.store.record(id, in: collection)?.id
    try expect(sends == 1, "the create was sent once")
    let count = try atlantises()
    try expect(count == 1 && newID != nil && newID != id, "it has the folder's id")
    try await round(clients.tablet)
    for store in [clients.phone.store, clients.tablet.store] {
      let found = try await store.count(
        in: collection,
        matching: .field("Name", equals: "Atlantis")
      )
      try expect(found == 1, "each device has one Atlantis")
    }
    try say("      asked, not sent again: \(sends) send, \(count) Atlantis in folder and devices")
  }

  private func atlantises() throws -> Int {
    try folder.records(in: "countries").values.count { $0["Name"] == "Atlantis" }
  }
}
