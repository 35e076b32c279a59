// Guarantees of up targets.

extension ConformanceGuarantee {
  /// Those of a `SyncUpTarget`.
  public static let up: [ConformanceGuarantee] = [
    upCreate, upCreateOnce, upProbe, upUpdate, upClear, upDelete, upMissingUpdate, upMissingDelete,
    upVersions, upConflict, upAnswer, upExact, upRefusal, upBatchOrder, upUnavailable,
    upAuthentication, upRateLimit, upCancellation,
  ]

  /// A create answers the id under which the record is.
  public static let upCreate = Self(
    "up.create",
    "a create answers the id under which the server has the record, once"
  )
  /// A repeated create makes no second record.
  public static let upCreateOnce = Self(
    "up.createOnce",
    "a create whose answer was lost makes no second record: it is probed or recognised"
  )
  /// `probe` is honest.
  public static let upProbe = Self(
    "up.probe",
    "probe does not claim an operation that never arrived"
  )
  /// An update changes what is said.
  public static let upUpdate = Self("up.update", "an update changes what it says and nothing else")
  /// null clears, absent stays.
  public static let upClear = Self("up.clear", "null clears a field, and a field not sent stays")
  /// A delete deletes.
  public static let upDelete = Self("up.delete", "a delete deletes that record alone")
  /// An update of what is gone says so.
  public static let upMissingUpdate = Self(
    "up.missingUpdate",
    "an update of a record that is gone is missing, and does not bring it back"
  )
  /// A delete of what is gone says so.
  public static let upMissingDelete = Self(
    "up.missingDelete",
    "a delete of a record that is gone is missing or deleted"
  )
  /// Versions are the server's.
  public static let upVersions = Self(
    "up.versions",
    "remoteVersions tells what the server has, and another version after a change"
  )
  /// A conflict changes nothing.
  public static let upConflict = Self(
    "up.conflict",
    "an update answered as a conflict has changed nothing and shows the server's copy"
  )
  /// Returned records are the server's.
  public static let upAnswer = Self("up.answer", "a record in an answer is the server's own copy")
  /// Nothing is rounded or dropped.
  public static let upExact = Self("up.exact", "numbers, nulls and texts arrive exactly as sent")
  /// A bad record fails alone.
  public static let upRefusal = Self(
    "up.refusal",
    "a record that the server refuses is a failed outcome, alone in its batch"
  )
  /// A batch is answered in order.
  public static let upBatchOrder = Self(
    "up.batchOrder",
    "a batch is answered with one outcome a change, in order"
  )
  /// A failure decides nothing.
  public static let upUnavailable = Self(
    "up.unavailable",
    "a server that cannot be reached is an error or unknown, never a decision on the record"
  )
  /// An expired session says so.
  public static let upAuthentication = Self(
    "up.authentication",
    "an expired session is AUTHENTICATION, which spends no attempt, and no decision on the record"
  )
  /// A rate limit says how long.
  public static let upRateLimit = Self(
    "up.rateLimit",
    "a rate limit is retryable and tells the server's retryAfter"
  )
  /// Cancelled calls come back.
  public static let upCancellation = Self("up.cancellation", "a cancelled call comes back at once")
}
