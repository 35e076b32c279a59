import OfflineSync

extension Demo {
  /// Edits the same records on both sides, under both merge modes.
  func editBothSides(_ client: SyncClient) async throws {
    try say("\n3. The same records are edited on both sides")
    try await overwrite(client)
    try await leaveIfChanged(client)
  }

  private func overwrite(_ client: SyncClient) async throws {
    let (id, collection) = (RecordID("CZ"), "countries")
    try await client.store.update(id, in: collection) { $0["Name"] = "Bohemia" }
    try folder.edit(id, in: collection, "Name", "Czechia")
    try say("   CZ, Name: here Bohemia, in the folder Czechia")
    let state = try await client.manager.reSync("countriesDown")
    try say("   OVERWRITE: countriesDown \(state.status), \(state.counts.summary)")
    let stored = try await client.store.record(id, in: collection)
    try expect(stored?.record["Name"] == "Czechia", "the folder's copy stands")
    try expect(stored?.change == nil, "the record is clean")
    let aside = try await client.store.setAside(in: collection)
    try expect(aside.count == 1 && aside[0].record?["Name"] == "Bohemia", "the edit is kept")
    try say("      the folder's copy stands: \(stored?.record.json ?? "")")
    try say("      the edit is kept aside:   \(aside[0].record?.json ?? "")")
  }

  private func leaveIfChanged(_ client: SyncClient) async throws {
    let (id, collection) = (RecordID("Europe/Lisbon"), "timezones")
    try await client.store.update(id, in: collection) {
      $0["Comment"] = "Portugal without its islands"
    }
    try folder.edit(id, in: collection, "Comment", "Lisbon, Porto, Faro")
    try say("   Europe/Lisbon, Comment: here and in the folder another text")
    let state = try await client.manager.reSync("timezonesDown")
    try say("   LEAVE_IF_CHANGED: timezonesDown \(state.status), \(state.counts.summary)")
    let conflicts = try await client.store.conflicts(in: collection)
    try expect(conflicts.count == 1 && conflicts[0].id == id, "there is one conflict")
    let conflict = conflicts[0]
    try expect(conflict.fields == ["Comment"], "it is in Comment")
    try say("      one conflict, in \(conflict.fields.joined(separator: ", ")):")
    for (side, record) in [
      ("base", conflict.base), ("local", conflict.local), ("remote", conflict.remote),
    ] {
      let text = record?["Comment"]?.text ?? "(no comment)"
      try say("        \(side)\(String(repeating: " ", count: 8 - side.count))\(text)")
    }
    try await client.store.resolve(conflict, with: .remote)
    let open = try await client.store.conflicts(in: collection)
    try expect(open.isEmpty, "the conflict is settled")
    try say("      settled: the folder's side stands")
  }

  /// Removes files, which no pull can see, and cleans what they leave.
  func cleanGhosts(_ client: SyncClient) async throws {
    try say("\n4. Three files are removed from the folder")
    let (name, collection) = ("timezonesDown", "timezones")
    let ghosts: [RecordID] = ["Antarctica/Troll", "Antarctica/Rothera", "Antarctica/Vostok"]
    for id in ghosts { try folder.remove(id, in: collection) }
    let state = try await client.manager.reSync(name)
    try say("   a pull cannot see that: \(name) \(state.status), \(state.counts.summary)")
    for id in ghosts {
      let ghost = try await client.store.record(id, in: collection)
      try expect(ghost != nil, "\(id) is still here")
    }
    let removed = try await client.manager.cleanResyncGhosts(name)
    try expect(removed == ghosts.count, "three ghosts are removed")
    for id in ghosts {
      let ghost = try await client.store.record(id, in: collection)
      try expect(ghost == nil, "\(id) is gone")
    }
    try say("   cleaning ghosts removed \(removed) records")
  }

  /// Changes a record here alone.
  ///
  /// - Returns: Its id.
  func changeOnly(_ store: Store) async throws -> [RecordID] {
    let id: RecordID = "Pacific/Auckland"
    try await store.update(id, in: "timezones") { $0["Comment"] = "first to see the day" }
    return [id]
  }
}
