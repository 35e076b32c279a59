/// What the server said to one change, with its copy if it sent one.
///
/// Without a copy, the base overlaid with the fields sent becomes the base.
public enum PushOutcome: Sendable, Equatable {
  /// It created the record, under this id.
  case created(id: RecordID, record: Record? = nil)
  /// It updated the record.
  case updated(record: Record? = nil)
  /// It deleted the record.
  case deleted
  /// It has no such record.
  case missing
  /// It has another version, which is kept beside the local one; nil: not told.
  case conflict(remote: Record? = nil)
  /// It refused this record, which stays dirty.
  case failed(RecordFailure)
  /// Not sent; stays dirty, counted as skipped.
  case skipped(reason: String)
  /// No answer came: probed before it is sent again.
  case unknown
}
