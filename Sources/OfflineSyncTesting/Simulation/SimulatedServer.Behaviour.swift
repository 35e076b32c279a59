extension SimulatedServer {
  /// What kind of server it is.
  public struct Behaviour: Sendable, Equatable {
    /// Whether records created with an id of a device's making get one of the server's.
    public var givesIDs = true
    /// Whether an operation that arrives twice is done once, and answered as the first time.
    public var honoursOperationIDs = true
    /// Whether it knows, when asked, which operations have arrived.
    public var answersProbes = false
    /// Whether its answers carry its copy of the record.
    public var answersWithRecords = true
    /// Whether it refuses changes made on another version than it has, as a conflict.
    public var checksVersions = true
    /// Whether it tells its whole copies when asked for versions, or their dates alone.
    public var tellsRecords = true
    /// Whether an update may bring changed fields only.
    public var acceptsPartialUpdates = false
    /// How many records it sends at once.
    public var pageSize = 20
    /// Whether it tells beforehand how many records come.
    public var tellsTotalSize = true
    /// How long before it can be seen a write may be dated: that of a transaction that commits late.
    public var lateness: Duration = .zero
    /// How far its date is ahead of the world's.
    public var skew: Duration = .zero

    /// A server that does all it can against mistakes.
    public init() {}
  }

  /// How often what goes wrong does so, of a hundred calls.
  public struct Faults: Sendable, Equatable {
    /// The request does not arrive.
    public var lostRequests = 0
    /// The request is done, but the answer does not arrive.
    public var lostReplies = 0
    /// The request arrives after the caller was told that the line is down.
    ///
    /// Only of servers that honour operation ids; others would do twice what is sent again.
    public var lateRequests = 0
    /// The answer is none that the app can read, though the request is done.
    public var garbledReplies = 0
    /// The server answers 500 or 503 and does nothing.
    public var serverErrors = 0
    /// The server answers 429 with a Retry-After, until that time has passed.
    public var rateLimits = 0
    /// The session has expired: this call and up to two more are answered 401.
    public var signOuts = 0
    /// The cursor of a fetch has expired.
    public var expiredCursors = 0
    /// The upload session has expired.
    public var expiredUploads = 0
    /// Request and answer take up to ``longestDelay``, so that others overtake them.
    public var delays = 0
    /// The longest delay.
    public var longestDelay: Duration = .seconds(40)

    /// Nothing goes wrong.
    public init() {}

    /// All of it equally often.
    public init(all percent: Int) {
      lostRequests = percent
      lostReplies = percent
      lateRequests = percent
      garbledReplies = percent
      serverErrors = percent
      rateLimits = percent
      signOuts = percent
      expiredCursors = percent
      expiredUploads = percent
      delays = percent
    }
  }
}
