// Guarantees of attachment transfers.

extension ConformanceGuarantee {
  /// Those of an `AttachmentTransfer`.
  public static let transfer: [ConformanceGuarantee] = [
    transferRoundTrip, transferEmpty, transferOffset, transferResume, transferWrongOffset,
    transferSession, transferUnfinished, transferAbsent, transferDescribe, transferRange,
    transferValidator, transferDelete, transferAbandon, transferUnavailable, transferAuthentication,
    transferRateLimit, transferCancellation,
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
  /// An expired session says so.
  public static let transferAuthentication = Self(
    "transfer.authentication",
    "an expired session is AUTHENTICATION, which spends no attempt"
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
