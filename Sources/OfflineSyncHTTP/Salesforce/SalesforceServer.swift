import OfflineSync

/// The REST interface of one Salesforce organisation: addresses, queries, and what failures mean.
struct SalesforceServer: Sendable {
  /// The organisation's own address.
  let url: URL
  /// The version of the interface, as `61.0`.
  let version: String
  /// The name of the credentials in a configuration; nil: none.
  let credentials: String?
  let transport: HTTPTransport

  /// The version that is asked for unless another one is.
  static let defaultVersion = "61.0"

  /// The address below the version's root.
  func address(_ steps: [String]) throws -> URL {
    try URLText.adding(["services", "data", "v\(version)"] + steps, to: url)
  }

  /// Sends a request; the answer's status is good.
  ///
  /// - Throws: `SyncError` as `SalesforceFailure.error`, and as `HTTPTransport.send(_:isRefused:)`.
  func good(_ request: HTTPRequest, now: Int64) async throws -> HTTPResponse {
    let response = try await transport.send(request)
    guard response.isGood else { throw SalesforceFailure(response, now: now).error }
    return response
  }

  /// The first page of a query; `includesDeleted` also finds what lies in the recycle bin.
  func query(
    _ soql: String,
    pageSize: Int? = nil,
    includesDeleted: Bool = false,
    now: Int64
  ) async throws -> SalesforcePage {
    let path = try address([includesDeleted ? "queryAll" : "query"])
    let url = try URLText.adding([(name: "q", value: soql)], to: path)
    return try await page(url, pageSize: pageSize, now: now)
  }

  /// The page at an address that the server named, which is no other than its own.
  func page(at address: String, pageSize: Int?, now: Int64) async throws -> SalesforcePage {
    let url = try transport.origin.url(address, relativeTo: self.url)
    let page = try await page(url, pageSize: pageSize, now: now)
    guard page.next != address else {
      throw SyncError(.syncTargetFailed, "the server names the same page as the next one")
    }
    return page
  }

  /// Every record of a query that brings few.
  func records(
    _ soql: String,
    includesDeleted: Bool = false,
    now: Int64
  ) async throws -> [Record] {
    var page = try await query(soql, includesDeleted: includesDeleted, now: now)
    var records = try page.readable
    while let next = page.next {
      page = try await self.page(at: next, pageSize: nil, now: now)
      records += try page.readable
    }
    return records
  }

  private func page(_ url: URL, pageSize: Int?, now: Int64) async throws -> SalesforcePage {
    var request = HTTPRequest("GET", url, headers: ["Accept": "application/json"])
    if let pageSize, pageSize != 2000 {
      request.headers["Sforce-Query-Options"] = "batchSize=\(pageSize)"
    }
    return try SalesforcePage(try await good(request, now: now))
  }
}

extension SalesforceServer {
  /// The keys of a configuration that say which server it is.
  static let keys = ["server", "credentials", "apiVersion"]

  /// The server of a configuration.
  init(_ members: TargetMembers, _ transports: HTTPTransports) throws {
    let address = try members.address("server")
    let name = try members.text("credentials")
    let version = try members.text("apiVersion") ?? Self.defaultVersion
    let isVersion = version.utf8.allSatisfy { byte in
      byte == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard isVersion else { throw members.mistake("apiVersion", "is no version as 61.0") }
    self.init(
      url: address,
      version: version,
      credentials: name,
      transport: try transports.transport(to: address, credentials: name)
    )
  }

  /// The members that a configuration begins with.
  var members: JSON.Object {
    var members: JSON.Object = ["server": .string(url.absoluteString)]
    if let credentials { members["credentials"] = .string(credentials) }
    members["apiVersion"] = .string(version)
    return members
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
