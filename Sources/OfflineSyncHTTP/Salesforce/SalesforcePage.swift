import OfflineSync

/// One answer to a query: `{"totalSize": …, "done": …, "nextRecordsUrl": …, "records": […]}`.
struct SalesforcePage {
  /// The records as the server sent them, `attributes` among their fields.
  let page: SyncPage
  /// How many records the query has in all.
  let totalSize: Int?
  /// The address of the next page; nil: this is the last one.
  let next: String?

  /// Reads an answer.
  ///
  /// - Throws: `SyncError` NETWORK or SYNC_TARGET_FAILED when it is no answer to a query; RECORD_MALFORMED
  ///   when where its records end cannot be told.
  init(_ response: HTTPResponse) throws {
    try response.checkContent()
    page = try SyncPage(json: response.body, at: "records")
    let members = try RecordPage.members(of: response.body, beside: "records")
    totalSize = members["totalSize"]?.int64.flatMap(Int.init(exactly:))
    let address = members["nextRecordsUrl"]?.string
    next = members["done"]?.bool == true ? nil : address
    guard members["done"]?.bool == true || address != nil else {
      throw SyncError(.syncTargetFailed, "the server's page is not the last, and names no next one")
    }
  }

  /// The records, all of which have to be readable.
  var readable: [Record] {
    get throws {
      guard let problem = page.problems.first else { return page.records }
      throw SyncError(.recordMalformed, "\(problem.name): \(problem.failure.message)")
    }
  }
}
