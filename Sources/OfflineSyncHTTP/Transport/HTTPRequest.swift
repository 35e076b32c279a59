public import OfflineSync

/// One request to a server.
public struct HTTPRequest: Sendable, Equatable {
  /// The method, in capitals.
  public var method: String
  /// Where to: a whole `http` or `https` address.
  public var url: URL
  /// The fields of the head; `Authorization` comes from the transport.
  public var headers: HTTPHeaders
  /// What is sent.
  public var body: Body
  /// Where the answer's body goes.
  public var destination: Destination
  /// Whether a read follows 301, 302 and 303, too.
  package var followsFound = true

  /// What is sent.
  public enum Body: Sendable, Equatable {
    /// Nothing.
    case none
    /// These bytes.
    case bytes([UInt8])
    /// A whole file, read from disk while it is sent.
    case file(URL)
  }

  /// Where the answer's body goes.
  public enum Destination: Sendable, Equatable {
    /// Into memory; one larger than the transport's `maxBodyByteCount` is an error.
    case memory
    /// The first bytes into memory; once there are so many, the rest is not read.
    case prefix(Int)
    /// Into a file, if the status is 200 or 206; one that was there is replaced. Else into memory.
    ///
    /// At most so many bytes; more is an error.
    case file(URL, maxByteCount: Int64)
  }

  /// Makes a request; without body, whose answer goes into memory, unless told otherwise.
  public init(
    _ method: String,
    _ url: URL,
    headers: HTTPHeaders = [:],
    body: Body = .none,
    destination: Destination = .memory
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.destination = destination
  }

  /// A request whose body is a JSON value.
  public init(_ method: String, _ url: URL, headers: HTTPHeaders = [:], json: JSON) {
    var fields: HTTPHeaders = ["Content-Type": "application/json"]
    fields.assign(headers)
    self.init(method, url, headers: fields, body: .bytes(Array(json.text.utf8)))
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
