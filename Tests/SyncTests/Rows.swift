import OfflineSync

/// The rows that tables of pure tests start from.
enum Rows {
  static let plan = SyncRow.Plan(
    collection: "contacts",
    options: SyncOptions(),
    target: ["type": "test", "server": "a"],
    idField: "Id",
    dateField: "lastModifiedDate",
    versionField: "lastModifiedDate"
  )

  /// A sync in this status, held by run 7 if it is running.
  static func row(_ status: SyncStatus, maxTimeStamp: Int64 = -1) -> SyncRow {
    var row = SyncMachine.created(id: 1, name: "contacts", direction: .syncDown, plan: plan)
    row.status = status
    row.maxTimeStamp = maxTimeStamp
    guard status != .new else { return row }
    row.progress = status == .done ? 100 : 40
    row.totalSize = 10
    row.startTime = 1000
    row.endTime = status == .running ? 0 : 2000
    row.run = status == .running ? 7 : 0
    if status == .failed {
      row.error = "it broke"
      row.errorCode = "NETWORK"
      row.failures = 1
      row.nextAttempt = 3000
    }
    return row
  }

  static func problem(_ number: Int) -> RecordProblem {
    RecordProblem(name: "r\(number)", failure: RecordFailure(code: "X", message: "bad"))
  }

  /// A page of this many records, dated up to `newest`, the last one at `last`.
  static func page(
    _ count: Int,
    newest: Int64? = nil,
    last: Int64? = nil,
    isSorted: Bool = false,
    checkpoint: JSON? = nil
  ) -> SyncMachine.FetchedPage {
    var page = SyncMachine.FetchedPage()
    page.countedSize = count
    page.counts.fetched = count
    page.newestDate = newest
    page.lastDate = last ?? newest
    page.isSorted = isSorted
    page.checkpoint = checkpoint
    return page
  }
}
