/// One thing that the library builds on, and a target or transfer therefore has to keep.
public struct ConformanceGuarantee: Sendable, Hashable {
  /// A stable name, such as `down.complete`.
  public let name: String
  /// The guarantee in one sentence.
  public let promise: String

  private init(_ name: String, _ promise: String) {
    self.name = name
    self.promise = promise
  }

  /// All guarantees, in the order of reports.
  public static let all = down + up + transfer
}

extension ConformanceGuarantee: CustomStringConvertible {
  /// The name and the sentence.
  public var description: String { "\(name): \(promise)" }
}

// MARK: - Down targets

extension ConformanceGuarantee {
  /// Those of a `SyncDownTarget`.
  public static let down: [ConformanceGuarantee] = [
    downEmpty, downComplete, downOnce, downEqualDates, downNewer, downPagingChange,
    downPagingDeletion, downLateCommit, downDeletion, downGhosts, downResume, downExpiredCursor,
    downIDs, downDates, downSorted, downTotalSize, downExact, downCopies, downUnavailable,
    downRateLimit, downCancellation,
  ]

  /// An empty server is nil or an empty page.
  public static let downEmpty = Self("down.empty", "an empty server is no page or an empty one")
  /// A first fetch brings all.
  public static let downComplete = Self("down.complete", "a first fetch brings every record")
  /// Nothing comes twice.
  public static let downOnce = Self("down.once", "a record comes once in an undisturbed fetch")
  /// Equal dates survive a page border.
  public static let downEqualDates = Self(
    "down.equalDates",
    "records of one date come all, also over a page border"
  )
  /// What is newer comes.
  public static let downNewer = Self(
    "down.newer",
    "a fetch from a date brings everything that is newer"
  )
  /// A change between two pages is not lost.
  public static let downPagingChange = Self(
    "down.pagingChange",
    "a record changed between two pages is there after the next run, and no other is lost"
  )
  /// A deletion between two pages loses nothing else.
  public static let downPagingDeletion = Self(
    "down.pagingDeletion",
    "a record deleted between two pages costs no other record"
  )
  /// A record published late is not lost.
  public static let downLateCommit = Self(
    "down.lateCommit",
    "a record that appears later than its date says is not lost"
  )
  /// Deletions are seen.
  public static let downDeletion = Self(
    "down.deletion",
    "a deletion is seen, in a page or by cleaning ghosts"
  )
  /// `remoteIDs` tells what is there.
  public static let downGhosts = Self(
    "down.ghosts",
    "remoteIDs names every record that the server has, and no other"
  )
  /// A run that was cut is made up for.
  public static let downResume = Self(
    "down.resume",
    "the run after one that was cut brings what is missing"
  )
  /// An expired cursor says so.
  public static let downExpiredCursor = Self(
    "down.expiredCursor",
    "an expired cursor is CURSOR_EXPIRED, not an empty page"
  )
  /// Ids stay.
  public static let downIDs = Self("down.ids", "every record has an id, the same each time")
  /// Dates can be read and rise.
  public static let downDates = Self(
    "down.dates",
    "every record has a readable date, which a change makes later"
  )
  /// Sorted is sorted.
  public static let downSorted = Self(
    "down.sorted",
    "a target that claims to sort by modification date does"
  )
  /// The size told is the size.
  public static let downTotalSize = Self("down.totalSize", "totalSize is what the fetch brings")
  /// Nothing is rounded or dropped.
  public static let downExact = Self(
    "down.exact",
    "numbers, nulls, texts and fields come exactly as the server has them"
  )
  /// Copies do not disturb each other.
  public static let downCopies = Self("down.copies", "two copies of the target page on their own")
  /// A failure is no empty page.
  public static let downUnavailable = Self(
    "down.unavailable",
    "a server that cannot be reached is an error, not an empty page"
  )
  /// A rate limit says how long.
  public static let downRateLimit = Self(
    "down.rateLimit",
    "a rate limit is a retryable error with the server's retryAfter"
  )
  /// Cancelled calls come back.
  public static let downCancellation = Self(
    "down.cancellation",
    "a cancelled call comes back at once"
  )
}

// MARK: - Up targets

extension ConformanceGuarantee {
  /// Those of a `SyncUpTarget`.
  public static let up: [ConformanceGuarantee] = [
    upCreate, upCreateOnce, upProbe, upUpdate, upClear, upDelete, upMissingUpdate, upMissingDelete,
    upVersions, upConflict, upAnswer, upExact, upRefusal, upBatchOrder, upUnavailable, upRateLimit,
    upCancellation,
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
  /// A rate limit says how long.
  public static let upRateLimit = Self(
    "up.rateLimit",
    "a rate limit is retryable and tells the server's retryAfter"
  )
  /// Cancelled calls come back.
  public static let upCancellation = Self("up.cancellation", "a cancelled call comes back at once")
}

// MARK: - Transfers

extension ConformanceGuarantee {
  /// Those of an `AttachmentTransfer`.
  public static let transfer: [ConformanceGuarantee] = [
    transferRoundTrip, transferEmpty, transferOffset, transferResume, transferWrongOffset,
    transferSession, transferUnfinished, transferAbsent, transferDescribe, transferRange,
    transferValidator, transferDelete, transferAbandon, transferUnavailable, transferRateLimit,
    transferCancellation,
  ]

  /// What was uploaded is what comes down.
  public static let transferRoundTrip = Self(
    "transfer.roundTrip",
    "what begin, send and confirm took is fetched with the same hash"
  )
  /// An empty file too.
  public static let transferEmpty = Self("transfer.empty", "an empty file goes up and comes down")
  /// The offset is what the server holds.
  public static let transferOffset = Self(
    "transfer.offset",
    "the offset after a cut is what the server holds, never more"
  )
  /// An upload goes on.
  public static let transferResume = Self(
    "transfer.resume",
    "an upload goes on from the offset told, to the right hash"
  )
  /// A wrong offset harms nothing.
  public static let transferWrongOffset = Self(
    "transfer.wrongOffset",
    "a chunk at another offset than the server's is not taken"
  )
  /// An unknown session is nil.
  public static let transferSession = Self(
    "transfer.session",
    "the offset of a session that the server does not know is nil"
  )
  /// Half an object is none.
  public static let transferUnfinished = Self(
    "transfer.unfinished",
    "an unfinished upload is not confirmed, described or fetched as the whole"
  )
  /// What is absent is nil.
  public static let transferAbsent = Self(
    "transfer.absent",
    "describe and fetch of what the server does not have are nil"
  )
  /// Size and hash are right.
  public static let transferDescribe = Self(
    "transfer.describe",
    "size and hash that describe tells are those of the bytes"
  )
  /// A range is that range.
  public static let transferRange = Self(
    "transfer.range",
    "fetch brings the bytes of its range, from the offset it names"
  )
  /// A changed object is noticed.
  public static let transferValidator = Self(
    "transfer.validator",
    "a fetch with the validator of an older version starts anew from 0"
  )
  /// A delete may be repeated.
  public static let transferDelete = Self(
    "transfer.delete",
    "delete removes the object, and is good when it was gone"
  )
  /// An abandoned upload leaves nothing in the way.
  public static let transferAbandon = Self(
    "transfer.abandon",
    "after abandon the same reference can be uploaded anew"
  )
  /// A failure is not absence.
  public static let transferUnavailable = Self(
    "transfer.unavailable",
    "a server that cannot be reached is an error, not an absent object or session"
  )
  /// A rate limit says how long.
  public static let transferRateLimit = Self(
    "transfer.rateLimit",
    "a rate limit is an error with status 429 or 503 and the server's retryAfter"
  )
  /// Cancelled calls come back.
  public static let transferCancellation = Self(
    "transfer.cancellation",
    "a cancelled call comes back at once"
  )
}
