/// What a run of a folder target has still to send, cut into pages.
package struct FolderFetch: Sendable {
  /// All of it, in order of date and id.
  package let entries: [FolderEntry]
  private let hold: FolderHold
  private var collection: FolderCollection { hold.collection }
  private var position = 0

  /// A fetch of what was found in a folder that is held since before.
  package init(_ entries: [FolderEntry], of hold: FolderHold) {
    self.entries = entries
    self.hold = hold
  }

  /// The next page with something in it; nil: that was all.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is gone, or another one is in its place; then nothing is
  ///   known of the files that were not found. `CancellationError`.
  package mutating func nextPage(size: Int) throws -> SyncPage? {
    let page = try readPage(size: size)
    try hold.check()
    return page
  }

  private mutating func readPage(size: Int) throws -> SyncPage? {
    while position < entries.count {
      let end = min(position + size, entries.count)
      defer { position = end }
      let page = try page(of: entries[position..<end])
      if !page.records.isEmpty || !page.deletedIDs.isEmpty || !page.problems.isEmpty { return page }
    }
    return nil
  }

  /// Reads the files once more; each goes out as it is now, and one that went since says nothing.
  private func page(of entries: ArraySlice<FolderEntry>) throws -> SyncPage {
    var page = SyncPage([])
    var newest: Int64?
    for entry in entries {
      try Task.checkCancellation()
      switch entry.kind {
      case .tombstone:
        page.deletedIDs.append(entry.id)
        newest = max(newest ?? .min, entry.date ?? .min)
      case .copy:
        page.problems.append(
          collection.problem(
            entry.name,
            .recordMalformed,
            "another file holds this record under another name"
          )
        )
      case .farTombstone:
        page.problems.append(
          collection.problem(
            entry.name,
            .recordMalformed,
            "its date is more than a day ahead, so that the record's file counts: remove one of them"
          )
        )
      case .record, .unusable:
        switch collection.read(entry.name) {
        case .record(let record, _, let date):
          page.records.append(record)
          newest = max(newest ?? .min, date ?? .min)
        case .unusable(let problem): page.problems.append(problem)
        case .absent: break
        }
      }
    }
    // Of records alone the store reads the dates itself, and leaves out those that are not to be believed.
    if !page.deletedIDs.isEmpty, let newest, newest > .min { page.newestDate = newest }
    return page
  }
}
