/// What a vacuum did.
public struct VacuumReport: Sendable, Equatable {
  /// Objects of orphaned rows that were deleted on the server, those already gone included.
  public let objectsDeleted: Int
  /// Rows that are no more.
  public let rowsRemoved: Int
  /// Orphaned rows whose object could not be deleted for good, and which are `evicted` now.
  public let rowsEvicted: Int
  /// Bytes of local files that were deleted.
  public let bytesFreed: Int64
  /// Objects that could not be deleted this time: the next vacuum tries again.
  public let failures: Int

  /// Makes a report.
  package init(
    objectsDeleted: Int = 0,
    rowsRemoved: Int = 0,
    rowsEvicted: Int = 0,
    bytesFreed: Int64 = 0,
    failures: Int = 0
  ) {
    self.objectsDeleted = objectsDeleted
    self.rowsRemoved = rowsRemoved
    self.rowsEvicted = rowsEvicted
    self.bytesFreed = bytesFreed
    self.failures = failures
  }
}
