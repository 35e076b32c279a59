/// Ends a fetch that answers without getting any further.
package struct ProgressGuard: Sendable {
  private let isCheckpointed: Bool
  private var emptyPages = 0
  private var lastPage: SyncPage?
  private var repetitions = 0

  /// Watches one fetch.
  package init(isCheckpointed: Bool) { self.isCheckpointed = isCheckpointed }

  /// Judges a page before it is stored.
  ///
  /// Throws SYNC_NO_PROGRESS at the second page in a row without record and without a moved checkpoint (the
  /// 1,000th of a target that has none), and at a page with content that equals the two before it.
  package mutating func judge(_ page: SyncPage, checkpointMoved: Bool) throws {
    let isEmpty = page.isEmpty
    repetitions = !isEmpty && page == lastPage ? repetitions + 1 : 0
    lastPage = page
    emptyPages = isEmpty && !checkpointMoved ? emptyPages + 1 : 0
    if repetitions >= 2 {
      throw SyncError(.syncNoProgress, "The target answered three times with the same page")
    }
    if emptyPages >= (isCheckpointed ? 2 : 1000) {
      throw SyncError(
        .syncNoProgress,
        "The target answered \(emptyPages) times in a row with nothing"
      )
    }
  }
}

extension SyncPage {
  /// Whether nothing came with it.
  package var isEmpty: Bool {
    records.isEmpty && deletedIDs.isEmpty && problems.isEmpty
      && related.values.allSatisfy(\.isEmpty) && relatedDeletedIDs.values.allSatisfy(\.isEmpty)
  }

  /// What it adds to the progress of a run.
  package var countedSize: Int { records.count + deletedIDs.count + problems.count }
}
