import OfflineSync
import OfflineSyncTesting
import Testing

/// What is read back is the draft that was written, whatever happened to it.
struct DraftLineTests {
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `a draft reads back as it was written, at once, after opening and after a compaction`(
    seed: UInt64
  ) throws {
    print("seed \(seed)")
    var work = try DraftWork(seed: seed)
    for round in 0..<8 {
      try work.steps(40)
      try work.checkReopened()
      if round % 2 == 0 {
        try work.journal.compact(byteCount: 1)
        #expect(try work.journal.stateByteCount() == work.journal.state.liveByteCount)
      } else {
        try work.compactWhileWorking()
      }
      try work.checkAll()
      try work.checkReopened()
    }
  }
}

/// Random work on a few records, checked after each step.
struct DraftWork {
  var journal: DraftJournal
  private var changes: RandomDrafts
  /// What must be there, in order of arrival.
  private var expected: [RecordDraft] = []
  private var story: [String] = []

  init(seed: UInt64) throws {
    journal = try DraftJournal(MemoryFileSystem { 0 })
    changes = RandomDrafts(seed: seed)
  }

  /// So many commits of one to three records each.
  mutating func steps(_ count: Int) throws {
    for _ in 0..<count {
      var touched: Set<RecordID> = []
      for _ in 0...changes.below(2) {
        let id = changes.id()
        guard touched.insert(id).inserted else { continue }
        try step(id)
      }
      try journal.commit()
      try checkAll()
    }
  }

  mutating func compactWhileWorking() throws {
    var work = self
    try journal.compact(byteCount: 200) { journal in
      work.journal = journal
      if work.changes.chance(60) { try work.steps(1) }
      journal = work.journal
    }
    work.journal = journal
    self = work
  }

  private mutating func step(_ id: RecordID) throws {
    let before = try journal.draft(of: id)
    var after = before ?? RecordDraft(id: id)
    let name = try changes.change(&after)
    story.append("\(id): \(name)")
    journal.write(after, over: before)
    let place = expected.firstIndex { $0.id == id }
    switch (place, after.isGone) {
    case (let place?, true): expected.remove(at: place)
    case (let place?, false): expected[place] = after
    case (nil, true): break
    case (nil, false): expected.append(after)
    }
  }

  func checkAll() throws { try check(journal.drafts, "at once") }

  func checkReopened() throws {
    let reopened = try journal.reopened()
    try check(reopened.drafts, "reopened")
    #expect(reopened.state.liveByteCount == journal.state.liveByteCount)
    #expect(reopened.state.lastVersion <= journal.state.lastVersion)
  }

  private func check(_ found: [RecordDraft], _ when: String) throws {
    let isSame =
      found == expected && found.map(\.id.isNumber) == expected.map(\.id.isNumber)
    guard !isSame else { return }
    let left = expected.filter { !found.contains($0) }
    let right = found.filter { !expected.contains($0) }
    Issue.record(
      """
      \(when), after \(story.suffix(4).joined(separator: " | ")):
      expected \(expected.map(\.id)), found \(found.map(\.id))
      expected \(left)
      found \(right)
      """
    )
    throw SyncError(.storeCorrupt, "a draft was not read back")
  }
}
