public import OfflineSync

/// A list of records of a server that speaks JSON over HTTP, both ways, described by keys.
///
/// `GET` of the address lists records, `POST` to it creates one, and the address with the id added to its
/// path is one record: `GET`, `PATCH` or `PUT`, `DELETE`. Where a server differs, `editRequest` changes
/// each request before it goes out, and `readPage` reads its pages. A create carries the operation's id in
/// `Idempotency-Key`; a server that does not heed it may hold a record twice when an answer was lost.
public struct JSONTarget: SyncDownTarget, SyncUpTarget, Sendable {
  /// `json`.
  public static var targetType: String { "json" }

  /// The address of the list.
  public let url: URL
  /// What the server is like.
  public let settings: Settings
  /// The name of the credentials in a configuration; nil: none.
  public let credentials: String?
  /// Changes each request before it is sent.
  public var editRequest: @Sendable (inout HTTPRequest) throws -> Void = { _ in }
  /// Reads a page, where `settings` cannot say how; nil: by `settings`.
  public var readPage: (@Sendable (HTTPResponse) throws -> SyncPage)?

  let transport: HTTPTransport
  /// Where the next page is; nil: there is none.
  var next: URL?
  /// Pages and records of this fetch so far.
  var progress = (pages: 0, records: 0)
  /// Where the fetch began.
  var start: URL?

  /// A list of a server.
  ///
  /// - Parameters:
  ///   - url: The address of the list.
  ///   - settings: What the server is like.
  ///   - transport: The way to the server.
  public init(_ url: URL, _ settings: Settings = Settings(), transport: HTTPTransport) {
    self.init(url, settings, nil, transport)
  }

  init(_ url: URL, _ settings: Settings, _ credentials: String?, _ transport: HTTPTransport) {
    self.url = url
    self.settings = settings
    self.credentials = credentials
    self.transport = transport
  }

  /// As the settings say.
  public var idFieldName: String { settings.idFieldName }
  /// As the settings say.
  public var modificationDateFieldName: String { settings.modificationDateFieldName }

  /// Sends a request, edited.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    request.headers["Accept"] = "application/json"
    try editRequest(&request)
    return try await transport.send(request)
  }

  /// The address of one record.
  func address(of id: RecordID) throws -> URL {
    guard url.query() != nil else { return try URLText.adding([id.text], to: url) }
    throw SyncError(.configInvalid, "the address of a list that is written to has no query")
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
