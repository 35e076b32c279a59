// When the journal is written anew.

extension Store {
  /// About how many bytes a slice copies.
  package static let sliceByteCount = 4 << 20
  /// How long a displaced body is kept: 30 days, in milliseconds.
  static let displacedLifetime: Int64 = 30 * 24 * 60 * 60 * 1000

  /// Compacts the journal if it is worth it; other calls are served between the slices.
  ///
  /// A compaction that fails leaves everything as it was, and is told to the log.
  package func compactIfWorthwhile() async {
    guard journal.shouldCompact(liveByteCount: state.liveByteCount) else { return }
    await compact()
  }

  /// Compacts the journal, in slices of about so many bytes.
  package func compact(sliceByteCount: Int = Store.sliceByteCount) async {
    guard !isReadOnly, !isClosed, compaction == nil else { return }
    do {
      guard try beginCompaction() else { return }
      while try compactSlice(sliceByteCount) {
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
    do {
      guard try beginCompaction() else {
        throw SyncError(.storeFull, "the disk has no room for the next generation of the journal")
      }
      while try compactSlice(Self.sliceByteCount) {}
    } catch {
      abandonCompaction()
      throw error
    }
  }

  private func beginCompaction() throws -> Bool {
    state.prepareForCompaction(displacedBefore: environment.now() - Self.displacedLifetime)
    compaction = try StoreCompaction(of: state, in: &journal)
    return compaction != nil
  }

  private func abandonCompaction() {
    compaction = nil
    journal.abandonCompaction()
  }

  /// Writes one slice; false: the new generation is in force.
  private func compactSlice(_ byteCount: Int) throws -> Bool {
    let relocation = try compaction?.writeSlice(into: &journal, byteCount: byteCount)
    guard let relocation else { return compaction != nil }
    // First of all, so that the state has one holder again and is changed in place.
    compaction = nil
    try state.relocate(relocation)
    return false
  }
}
