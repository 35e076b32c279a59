import OfflineSync

/// One answer with a list of records.
struct KintoPage {
  /// The records, tombstones not among them.
  private(set) var records: [Record] = []
  /// What was deleted.
  private(set) var deletedIDs: [RecordID] = []
  /// The newest `last_modified` of all that is listed; nil: nothing is.
  private(set) var newest: Int64?
  /// Whether there is another page.
  let hasMore: Bool
  private var problems: [RecordProblem] = []

  /// Reads an answer.
  ///
  /// - Throws: `SyncError` NETWORK or SYNC_TARGET_FAILED when it is no list; RECORD_MALFORMED when where
  ///   its records end cannot be told.
  init(_ response: HTTPResponse) throws {
    try response.checkContent()
    hasMore = response.headers["Next-Page"] != nil
    let page = try SyncPage(json: response.body, at: "data")
    problems = page.problems
    records.reserveCapacity(page.records.count)
    for record in page.records {
      if let date = record.milliseconds(field: "last_modified") {
        newest = max(newest ?? date, date)
      }
      if let id = Self.deletedID(record) { deletedIDs.append(id) } else { records.append(record) }
    }
  }

  /// The page as a run takes it; nil: there is nothing in it.
  var page: SyncPage? {
    guard count > 0 else { return nil }
    var page = SyncPage(records, deletedIDs: deletedIDs)
    page.problems = problems
    // Of records alone the store reads the dates itself, and leaves out those that are not to be believed.
    if !deletedIDs.isEmpty { page.newestDate = newest }
    return page
  }

  /// How many records, deletions and problems it has.
  var count: Int { records.count + deletedIDs.count + problems.count }

  /// The id of a listed record.
  ///
  /// - Throws: `SyncError` RECORD_MALFORMED when it has none.
  func id(of record: Record) throws -> RecordID {
    guard let id = record.id(field: "id") else {
      throw SyncError(.recordMalformed, "the server lists a record without id")
    }
    return id
  }

  /// The collection's newest change, from the list's `ETag`.
  static func timeStamp(_ response: HTTPResponse) -> Int64? {
    guard let tag = response.headers["ETag"], tag.utf8.count > 2 else { return nil }
    return Int64(tag.dropFirst().dropLast())
  }

  /// The id if this is a tombstone: `deleted` is true, and there is nothing but id and time beside it.
  private static func deletedID(_ record: Record) -> RecordID? {
    guard record["deleted"]?.bool == true, record.fieldNames.count == 3,
      record["last_modified"] != nil
    else { return nil }
    return record.id(field: "id")
  }
}
