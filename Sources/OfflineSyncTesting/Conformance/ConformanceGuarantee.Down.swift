// Guarantees of down targets.

extension ConformanceGuarantee {
  /// Those of a `SyncDownTarget`.
  public static let down: [ConformanceGuarantee] = [
    downEmpty, downComplete, downOnce, downEqualDates, downNewer, downPagingChange,
    downPagingDeletion, downLateCommit, downDeletion, downGhosts, downResume, downExpiredCursor,
    downIDs, downDates, downSorted, downTotalSize, downExact, downCopies, downUnavailable,
    downAuthentication, downRateLimit, downCancellation,
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
  /// An expired session says so.
  public static let downAuthentication = Self(
    "down.authentication",
    "an expired session is AUTHENTICATION"
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
