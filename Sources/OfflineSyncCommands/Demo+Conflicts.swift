import OfflineSync

extension Demo {
  /// Edits the same records on both devices, one for each merge mode.
  func editBothSides(_ clients: Clients) async throws {
    try say("\n3. Both devices edit the same records; the tablet's edits reach the folder first")
    try await overwrite(clients)
    try await leaveIfChanged(clients)
    try await merge(clients)
  }

  /// The folder's copy replaces the phone's, which is kept aside and goes up in another field.
  private func overwrite(_ clients: Clients) async throws {
    let (id, collection) = (RecordID("CZ"), "countries")
    let store = clients.phone.store
    try await edit(clients.tablet, id, in: collection, "Name", "Czechia")
    try await round(clients.tablet)
    try await edit(clients.phone, id, in: collection, "Name", "Bohemia")
    try say("   OVERWRITE: CZ is Czechia to the tablet, Bohemia to the phone, which pulls")
    let counts = try await run("countriesDown", clients.phone)
    let stored = try await store.record(id, in: collection)
    try expect(stored?.record["Name"] == "Czechia", "the folder's copy stands")
    try expect(stored?.change == nil, "the record is clean")
    let aside = try await store.setAside(in: collection)
    try expect(aside.count == 1 && aside[0].kind == .displaced, "one edit is kept aside")
    guard let name = aside[0].record?["Name"] else {
      throw SyncError("DEMO_FAILED", "the edit that is kept aside has no Name")
    }
    try expect(name == "Bohemia", "the edit is kept as it was")
    try say("      countriesDown: \(counts.summary); here is now Czechia")
    try say("      kept aside, for 30 days: \(name.text)")
    try await edit(clients.phone, id, in: collection, "OtherName", name)
    try await round(clients.phone)
    let file = try folder.record(id, in: collection)
    try expect(file["Name"] == "Czechia" && file["OtherName"] == name, "both names are there")
    try say("      the phone sends it as OtherName: the folder has both")
  }

  /// The phone finds the other edit before it sends its own, and somebody decides.
  private func leaveIfChanged(_ clients: Clients) async throws {
    let (id, collection) = (RecordID("Europe/Lisbon"), "timezones")
    let (theirs, ours): (JSON, JSON) = ("Lisbon, Porto, Faro", "Portugal without its islands")
    try await edit(clients.tablet, id, in: collection, "Comment", theirs)
    try await round(clients.tablet)
    try await edit(clients.phone, id, in: collection, "Comment", ours)
    try say("   LEAVE_IF_CHANGED: each has another Comment for Europe/Lisbon, the phone pushes")
    let counts = try await run("timezonesUp", clients.phone)
    try expect(counts.sent == 0 && counts.conflicts == 1, "nothing is sent, it is a conflict")
    try say("      timezonesUp: \(counts.summary), 0 sent; both sides are kept:")
    let conflict = try await conflict(of: id, in: collection, clients.phone.store)
    try show(conflict, "Comment")
    try expect(conflict.local?["Comment"] == ours, "the phone's edit is kept")
    try expect(conflict.remote?["Comment"] == theirs, "the tablet's edit is kept")
    try await clients.phone.store.resolve(conflict, with: .local)
    let sent = try await run("timezonesUp", clients.phone).sent
    let file = try folder.record(id, in: collection)
    try expect(sent == 1 && file["Comment"] == ours, "the phone's side is in the folder")
    try say("      resolved as local: \(sent) sent, the folder has the phone's")
  }

  /// Fields that one side changed merge by themselves; of the one that both did, both texts stay.
  private func merge(_ clients: Clients) async throws {
    let (id, collection) = (RecordID("Asia/Tokyo"), "timezones")
    try await edit(clients.phone, id, in: collection, "Comment", "Japan")
    try await round(clients.phone)
    try await edit(clients.tablet, id, in: collection, "Comment", "no summer time")
    try await edit(clients.tablet, id, in: collection, "Visited", true)
    try say("   MERGE: both changed Asia/Tokyo, the phone Comment, the tablet Comment and Visited")
    let counts = try await run("timezonesUp", clients.tablet)
    try expect(counts.sent == 0 && counts.conflicts == 1, "nothing is sent, it is a conflict")
    let conflict = try await conflict(of: id, in: collection, clients.tablet.store)
    try say("      Visited merges by itself, Comment does not:")
    try show(conflict, "Comment")
    guard var both = conflict.local, let ours = both["Comment"]?.string,
      let theirs = conflict.remote?["Comment"]?.string
    else { throw SyncError("DEMO_FAILED", "the conflict has not both comments") }
    both["Comment"] = .string("\(theirs), \(ours)")
    try await clients.tablet.store.resolve(conflict, with: .merged(both))
    try await round(clients.tablet)
    try await round(clients.phone)
    let here = try await clients.phone.store.record(id, in: collection)?.record
    try expect(here?["Comment"] == "Japan, no summer time", "both comments are on the phone")
    try expect(here?["Visited"] == true, "the other field is on the phone")
    try say("      resolved with both texts; the phone pulls: \(here?["Comment"]?.text ?? "")")
  }

  /// The one conflict of a collection, which must be in the comment of this record.
  private func conflict(
    of id: RecordID,
    in collection: String,
    _ store: Store
  ) async throws -> Conflict {
    let conflicts = try await store.conflicts(in: collection)
    guard let conflict = conflicts.first, conflicts.count == 1, conflict.id == id,
      conflict.fields == ["Comment"]
    else { throw SyncError("DEMO_FAILED", "not so: there is one conflict, in Comment of \(id)") }
    return conflict
  }

  private func show(_ conflict: Conflict, _ field: String) throws {
    for (side, record) in [
      ("base  ", conflict.base), ("local ", conflict.local), ("remote", conflict.remote),
    ] {
      try say("        \(side)  \(record?[field]?.text ?? "none")")
    }
  }
}
