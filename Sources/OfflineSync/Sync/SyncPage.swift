/// What one answer brings, stored in one commit.
public struct SyncPage: Sendable, Equatable {
  /// The records, in the server's order.
  public var records: [Record]
  /// Deleted records, applied after `records`: an id in both is deleted.
  public var deletedIDs: [RecordID]
  /// Records of other collections, any depth (children with their parents); not counted in `progress`.
  public var related: [String: [Record]]
  /// Deleted records of those collections.
  public var relatedDeletedIDs: [String: [RecordID]]
  /// The newest date this page covers, tombstones included, in milliseconds; nil: that of its records.
  public var newestDate: Int64?
  /// What could not be read as a record: set aside, counted and named in the run; the rest lands.
  public var problems: [RecordProblem]

  /// Makes a page.
  public init(
    _ records: [Record],
    deletedIDs: [RecordID] = [],
    related: [String: [Record]] = [:],
    relatedDeletedIDs: [String: [RecordID]] = [:],
    newestDate: Int64? = nil
  ) {
    self.records = records
    self.deletedIDs = deletedIDs
    self.related = related
    self.relatedDeletedIDs = relatedDeletedIDs
    self.newestDate = newestDate
    problems = []
  }
}

extension SyncPage {
  /// Reads an array of objects, or that array under a top-level key; bad elements become `problems`.
  ///
  /// - Throws: `SyncError` RECORD_MALFORMED when there is no such array, or where its elements end
  ///   cannot be told.
  public init(json: [UInt8], at key: String? = nil) throws {
    let (records, malformed) = try RecordPage.split(json, at: key)
    self.init(records)
    problems = malformed.map { element in
      RecordProblem(
        name: "record \(element.index) of the page",
        failure: RecordFailure(
          code: element.error.code.rawValue,
          message: element.error.message
        ),
        bytes: element.bytes
      )
    }
  }
}
