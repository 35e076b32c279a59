/// How a run merges its pages into the store.
package struct PageRules: Sendable {
  /// What happens to dirty records.
  package var mergeMode: MergeMode
  /// The collections where `overwrite` leaves dirty records alone, as in a round whose push has left them.
  package var protected: Set<String>
  /// Asked in `merge` mode when both sides changed a field.
  package var resolve: @Sendable (Conflict) -> ConflictResolution?

  /// Makes rules.
  package init(
    mergeMode: MergeMode,
    protecting protected: Set<String> = [],
    resolve: @escaping @Sendable (Conflict) -> ConflictResolution? = { _ in nil }
  ) {
    self.mergeMode = mergeMode
    self.protected = protected
    self.resolve = resolve
  }

  /// The mode that holds for the records of a collection.
  func mode(of collection: String) -> MergeMode {
    mergeMode == .overwrite && protected.contains(collection) ? .leaveIfChanged : mergeMode
  }
}

/// What the merge of one page found.
package struct PageTally: Sendable, Equatable {
  /// What was done with the page's records.
  package var counts = SyncCounts()
  /// What could not be read as a record, without its bytes.
  package var problems: [RecordProblem] = []
  /// The newest good date of the page; dates more than 24 hours ahead are left out.
  package var newestDate: Int64?
  /// The date of the page's last record that has a good one.
  package var lastDate: Int64?
  /// Whether the dates of the page never decrease.
  package var isSorted = true

  /// Nothing yet.
  package init() {}

  /// Takes the date of the next record; one far ahead is counted and does not move anything.
  mutating func take(date: Int64?, now: Int64) {
    guard let date else { return }
    guard date <= now + Self.day else {
      counts.futureDated += 1
      return
    }
    if let lastDate, date < lastDate { isSorted = false }
    lastDate = date
    newestDate = max(newestDate ?? date, date)
  }

  /// Takes the newest date that the page says it covers.
  mutating func take(newestDate date: Int64?, now: Int64) {
    guard let date, date <= now + Self.day else { return }
    newestDate = max(newestDate ?? date, date)
  }

  private static let day: Int64 = 24 * 60 * 60 * 1000
}
