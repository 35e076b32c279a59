extension JSONTarget {
  /// How pages follow one another.
  public enum Paging: Sendable, Equatable {
    /// One answer holds everything.
    case none
    /// A parameter counts pages, from `first` on; the last page is one without records.
    case page(parameter: String, first: Int)
    /// A parameter counts records from 0 on; the last page is one without records.
    case offset(parameter: String)
    /// The answer names the next page's address under this key, as `links.next`; none: that was all.
    case nextKey(String)
    /// The answer names it in a `Link` header with `rel="next"`; none: that was all.
    case link
  }

  /// How the server writes a time in an address.
  public enum TimeFormat: String, Sendable, CaseIterable {
    /// `2026-11-30T08:00:00.000Z`
    case iso8601
    /// Milliseconds since 1970.
    case milliseconds
    /// Seconds since 1970, rounded down.
    case seconds
  }

  /// How an update is sent.
  public enum Update: String, Sendable, CaseIterable {
    /// The changed fields; a removed one as null.
    case patch = "PATCH"
    /// The whole record.
    case put = "PUT"
    /// The server takes no updates.
    case none
  }

  /// What a server is like.
  public struct Settings: Sendable, Equatable {
    /// The key under which an answer holds its records; nil: the answer is the array.
    public var recordsKey: String?
    /// How pages follow one another.
    public var paging: Paging = .none
    /// The parameter for the size of a page, and the size; nil: the server decides.
    public var pageSize: (parameter: String, count: Int)? {
      get { sizeParameter.map { ($0, sizeCount) } }
      set { (sizeParameter, sizeCount) = (newValue?.parameter, newValue?.count ?? 0) }
    }
    /// The parameter that asks for what is newer than a time; nil: everything comes each time.
    public var sinceParameter: String?
    /// How that time is written.
    public var sinceFormat: TimeFormat = .iso8601
    /// Whether records come in the order of their modification date.
    public var isSorted = false
    /// The field that is true in a deleted record; nil: deletions are not told.
    public var deletedField: String?
    /// The field that holds the id.
    public var idFieldName = "id"
    /// The field that holds the modification date.
    public var modificationDateFieldName = "updatedAt"
    /// The key under which a single record is sent and answered; nil: it stands alone.
    public var recordKey: String?
    /// How an update is sent.
    public var update: Update = .patch

    private var sizeParameter: String?
    private var sizeCount = 0

    /// The most common server: an array, `id`, `updatedAt`, one page.
    public init() {}
  }
}
