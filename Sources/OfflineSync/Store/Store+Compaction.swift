// Writing what is alive into the next generation of the journal, in slices (`journal.md`).

/// How far the state of a next generation is written.
struct CompactionProgress: Sendable {
  /// Lines from here on are commits made meanwhile: the journal copies them itself.
  let base: Int64
  /// The next collection.
  var place = 0
  /// The next record of it.
  var slot = 0
  /// Whether the lines before those of records are written.
  var hasBegun = false
}

extension Store {
  /// About how many bytes a slice copies.
  private static let sliceByteCount = 4 << 20
  /// How long a displaced body is kept: 30 days, in milliseconds.
  static let displacedLifetime: Int64 = 30 * 24 * 60 * 60 * 1000

  /// Compacts the journal if it is worth it; other calls are served between the slices.
  ///
  /// A compaction that fails leaves everything as it was, and is told to the log.
  package func compactIfWorthwhile() async {
    guard !isReadOnly, !isClosed, compaction == nil,
      journal.shouldCompact(liveByteCount: state.liveByteCount)
    else { return }
    do {
      guard try beginCompaction() else { return }
      while try compactSlice() {
        await Task.yield()
        if isClosed || compaction == nil { return }
      }
    } catch {
      abandonCompaction()
      environment.log(
        SyncClient.LogEntry(level: "warning", message: "the journal was not compacted: \(error)")
      )
    }
  }

  /// Before a commit: a new generation where the file takes no more, or is mostly dead.
  func makeRoom() throws {
    if journal.needsNewGeneration {
      abandonCompaction()
      try compactAtOnce()
    } else if compaction == nil, journal.mustCompact(liveByteCount: state.liveByteCount) {
      do {
        try compactAtOnce()
      } catch {
        // The old file goes on; there may be no room for a second one.
        abandonCompaction()
        environment.log(
          SyncClient.LogEntry(
            level: "warning",
            message: "the journal was not compacted: \(error)"
          )
        )
      }
    }
  }

  private func compactAtOnce() throws {
    guard try beginCompaction() else {
      throw SyncError(.storeFull, "the disk has no room for the next generation of the journal")
    }
    while try compactSlice() {}
  }

  private func beginCompaction() throws -> Bool {
    state.prepareForCompaction(displacedBefore: environment.now() - Self.displacedLifetime)
    let base = journal.byteCount
    guard try journal.beginCompaction(liveByteCount: state.liveByteCount) else { return false }
    compaction = CompactionProgress(base: base)
    return true
  }

  private func abandonCompaction() {
    compaction = nil
    journal.abandonCompaction()
  }

  /// Writes one slice; false: the new generation is in force.
  private func compactSlice() throws -> Bool {
    guard var progress = compaction else { return false }
    if !progress.hasBegun {
      progress.hasBegun = true
      try journal.compact(copying: state.headLines.filter { $0.offset < progress.base })
    } else if progress.place < state.collections.count {
      try compactRecords(&progress)
    } else if try journal.compactTail(atMost: Int64(Self.sliceByteCount)) == false {
      let relocation = try journal.finishCompaction()
      compaction = nil
      try state.relocate(relocation)
      return false
    }
    compaction = progress
    return true
  }

  private func compactRecords(_ progress: inout CompactionProgress) throws {
    var lines: [JournalLine] = []
    var owners = JournalTransaction()
    var byteCount = 0
    let collection = state[progress.place]
    while progress.slot < collection.index.slots.upperBound, byteCount < Self.sliceByteCount {
      for line in collection.lines(at: progress.slot) where line.offset < progress.base {
        lines.append(line)
        byteCount += line.byteCount
      }
      collection.writeOwner(at: progress.slot, to: &owners)
      progress.slot += 1
    }
    if progress.slot >= collection.index.slots.upperBound {
      lines += collection.otherLines.filter { $0.offset < progress.base }
      progress.place += 1
      progress.slot = 0
    }
    try journal.compact(copying: lines)
    if !owners.isEmpty { _ = try journal.compact(adding: owners) }
  }
}
