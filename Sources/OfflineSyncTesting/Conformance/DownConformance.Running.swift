import OfflineSync
import Synchronization

// Guarantees over several runs, seen in what a device has in the end.

extension DownConformance {
  func pagingChange() async throws -> String? {
    try await log.smallest(upTo: world.recordCount, from: 2, emptying: world) { count in
      let made = try await server.create(0..<count)
      guard world.change != nil, let first = made.first, let last = made.last else {
        _ = try server.closure(world.change, "change")
        return nil
      }
      let fields = changedFields(1)
      let isChanged = Mutex(false)
      try await run { page in
        guard page == 1, isChanged.withLock({ exchange(&$0, true) }) == false else { return }
        await acting {
          try await server.change(first, fields)
          if first != last { try await server.change(last, fields) }
        }
      }
      guard isChanged.withLock({ $0 }) else { throw onePage(count) }
      try await run()
      let lost = try await missing(made)
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "all records after the next run",
          came: "all but \(lost.map(\.text))",
          advice: "page by date and id instead of by position: what changes moves to the end"
        )
      }
      for id in [first, last] { try await expectStored(id, fields) }
      return nil
    }
  }

  private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
    defer { value = new }
    return value
  }

  private func expectStored(_ id: RecordID, _ fields: Record) async throws {
    let stored = try await client.store.record(id, in: world.collection)?.record
    for field in fields.fieldNames where stored?[field] != fields[field] {
      throw violation(
        [id],
        expected: "\(fields) after the next run",
        came: stored?[field]?.text ?? "no such field",
        advice: "ask for dates greater than maxTimeStamp, which is the newest date of the pages,"
          + " or set SyncOptions.overlap"
      )
    }
  }

  private func onePage(_ count: Int) -> ConformanceInapplicable {
    ConformanceInapplicable(
      "\(count) records came in one page; make the target's page smaller or recordCount larger"
    )
  }

  func pagingDeletion() async throws -> String? {
    try await log.smallest(upTo: world.recordCount, from: 2, emptying: world) { count in
      let made = try await server.create(0..<count)
      _ = try server.closure(world.delete, "delete")
      let deleted = Mutex<RecordID?>(nil)
      try await run { page in
        guard page == 1, deleted.withLock({ $0 }) == nil else { return }
        await acting {
          // One that came with the first page, so that every later one moves up by a place.
          var arrived: RecordID?
          for id in made where try await client.store.record(id, in: world.collection) != nil {
            arrived = arrived ?? id
          }
          guard let arrived else { return }
          try await server.delete(arrived)
          deleted.withLock { $0 = arrived }
        }
      }
      guard let gone = deleted.withLock({ $0 }) else { throw onePage(count) }
      try await run()
      let lost = try await missing(made.filter { $0 != gone })
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "every record but \(gone)",
          came: "all but \(lost.map(\.text))",
          advice: "page by date and id instead of by position"
        )
      }
      return nil
    }
  }

  func lateCommit() async throws -> String? {
    let lateness = Int64(world.lateness / .milliseconds(1))
    let date = date(1)
    let early = try await server.create(0, dated: date)
    try await run()
    let late = try await server.create(1, dated: date - lateness)
    try await run()
    guard try await !missing([late]).isEmpty else { return nil }
    var options = world.options
    options.overlap = world.lateness + .milliseconds(1)
    try await run(options: options)
    let helps = try await missing([late]).isEmpty
    throw violation(
      [early, late],
      expected:
        "\(late), which appeared after a run that saw \(date) and is dated \(lateness) ms before",
      came: "no run brought it",
      advice: helps
        ? "SyncOptions.overlap of \(options.overlap): with it the next run brought the record"
        : "SyncOptions.overlap did not help: the target has to give a cursor that late records follow"
    )
  }

  func deletion() async throws -> String? {
    let made = try await server.create(0..<2)
    try await run()
    try await server.delete(made[0])
    // One that no run has seen, so that nothing has to go: it must not come.
    let brief = try await server.create(2)
    try await server.delete(brief)
    try await run()
    guard try await missing([brief]) == [brief] else {
      throw violation(
        [brief],
        expected: "no record that was created and deleted between two runs",
        came: "it came and stayed",
        advice: "name it in deletedIDs: an id in records and in deletedIDs is deleted"
      )
    }
    if try await missing(made) == [made[0]] { return nil }
    guard try await missing([made[1]]).isEmpty else {
      throw violation(made, expected: "\(made[1]) stays", came: "it was deleted, too")
    }
    do {
      _ = try await cleanGhosts()
    } catch let error as SyncError where error.code == .ghostsUnsupported {
      throw violation(
        made,
        expected: "\(made[0]) goes",
        came: "no run deleted it, and remoteIDs is not supported",
        advice: "tell SyncPage.deletedIDs, or implement remoteIDs for cleanResyncGhosts"
      )
    }
    let gone = try await missing(made)
    guard gone == [made[0]] else {
      throw violation(
        made,
        expected: "cleaning ghosts deletes \(made[0]) alone",
        came: gone.isEmpty ? "it deleted nothing" : "it deleted \(gone.map(\.text))",
        advice: "remoteIDs names those of the ids asked for that the server still has"
      )
    }
    return "only by cleaning ghosts: call cleanResyncGhosts now and then"
  }

  func ghosts() async throws -> String? {
    let made = try await server.create(0..<world.recordCount)
    var gone: [RecordID] = []
    if world.delete != nil, let first = made.first {
      try await server.delete(first)
      gone = [first]
    }
    // Not sorted, and with one that never was: an answer must not depend on either.
    let never = RecordID(world.environment.makeID())
    let asked = made.reversed() + [never]
    let found: Set<RecordID>
    do {
      found = try await calling {
        try await observed().remoteIDs(among: asked, syncManager: client.manager)
      }
    } catch let error as SyncError where error.code == .ghostsUnsupported {
      throw ConformanceInapplicable("the target has no remoteIDs (GHOSTS_UNSUPPORTED)")
    }
    let live = Set(made).subtracting(gone)
    let lost = live.subtracting(found).map(\.text).sorted()
    guard lost.isEmpty else {
      throw violation(
        made,
        expected: "\(live.map(\.text).sorted()), which the server has",
        came: "\(lost) is not among them: cleaning ghosts would delete live records",
        advice:
          "ask for every page of the ids, or with smaller slices, and throw rather than answer less"
      )
    }
    let falselyLive = found.intersection(gone + [never]).map(\.text).sorted()
    guard falselyLive.isEmpty else {
      throw violation(
        made,
        expected: "no id that the server does not have",
        came: "\(falselyLive) is told to be there: its ghost would stay"
      )
    }
    return nil
  }

  func resume() async throws -> String? {
    try await log.smallest(upTo: world.recordCount, from: 2, emptying: world) { count in
      let made = try await server.create(0..<count)
      let isCut = Mutex(false)
      let state = try await attempt { page in
        guard page == 1, !isCut.withLock({ exchange(&$0, true) }) else { return }
        log.add("the line is cut")
        throw SyncError(.network, "the conformance check cut the line")
      }
      guard isCut.withLock({ $0 }), state.status == .failed else { throw onePage(count) }
      try await run()
      let lost = try await missing(made)
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "all records after a run that was cut and one that was not",
          came: "all but \(lost.map(\.text))",
          advice: target is any CheckpointedSyncDownTarget
            ? "the checkpoint names the page that has not come yet, and everything it needs"
            : "pages in order of date, or isSortedByModificationDate false"
        )
      }
      return nil
    }
  }
}
