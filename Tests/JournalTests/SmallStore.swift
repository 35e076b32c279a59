import OfflineSync
import OfflineSyncTesting
import Testing

/// The least that uses a journal as a store does: it remembers where the lines of its bodies lie.
struct SmallStore {
  let test: TestJournal
  private(set) var journal: Journal
  private(set) var live: [JournalLine] = []
  /// Bodies that commits have acknowledged, one commit after another.
  private(set) var acknowledged: [[String]] = []
  private let lock: StateLock

  init(_ test: TestJournal) throws {
    self.test = test
    var transcript = Transcript()
    (journal, lock) = try test.open(&transcript)
    live = transcript.lines.compactMap { transcript.places[$0] }
  }

  mutating func commit(_ bodies: [String]) throws {
    if journal.needsNewGeneration { try compact() }
    var transaction = JournalTransaction()
    var places: [JournalLine] = []
    for body in bodies {
      transaction.begin(JournalKind.record)
      transaction.add(1)
      transaction.add(raw: Array(body.utf8)[...])
      places.append(transaction.end())
    }
    let start = try journal.commit(&transaction)
    acknowledged.append(bodies)
    live += places.map { JournalLine(offset: $0.offset + start, byteCount: $0.byteCount) }
  }

  /// Writes the live lines into the next generation; each of the commits goes on between slices.
  mutating func compact(_ between: [[String]] = []) throws {
    var between = between[...]
    guard try journal.beginCompaction(liveByteCount: 0) else {
      throw SyncError(.storeFull, "no room")
    }
    let state = live
    for half in [state.prefix(state.count / 2), state.dropFirst(state.count / 2)] {
      try journal.compact(copying: Array(half))
      if let bodies = between.popFirst() { try commitIfPossible(bodies) }
    }
    while try journal.compactTail(atMost: 1) {}
    while let bodies = between.popFirst() { try commitIfPossible(bodies) }
    let relocation = try journal.finishCompaction()
    live = try live.map {
      JournalLine(offset: try #require(relocation.offset(of: $0.offset)), byteCount: $0.byteCount)
    }
  }

  /// A commit between slices; one that the disk refuses does not end the compaction.
  private mutating func commitIfPossible(_ bodies: [String]) throws {
    guard !journal.needsNewGeneration else { return }
    do { try commit(bodies) } catch is SyncError { return }
  }

  /// Every live line is where it is said to be.
  func checkLive() throws {
    #expect(live.count == acknowledged.joined().count)
    for (place, body) in zip(live, acknowledged.joined()) {
      #expect(
        String(decoding: try journal.bytes(of: place), as: UTF8.self).hasSuffix(line(body) + "\n")
      )
    }
  }

  mutating func close() throws {
    try journal.close()
    try lock.release()
  }
}
