public import OfflineSync

/// Attachments as plain resources of a WebDAV server (RFC 4918), or of any that takes `PUT`.
///
/// An object's address is the root's with the segments of its reference; missing folders are made
/// (`MKCOL`). A file goes up in one request, streamed from disk, and starts anew when it was cut;
/// downloads go on where they were cut (`Range`, `If-Range` with the `ETag`).
///
/// Nothing is replaced unseen: a `PUT` says `If-None-Match: *`, and when something is there already, and it
/// is not these bytes, `If-Match` with the tag that was seen. After a `PUT` the object is verified by the
/// server's hash (`Repr-Digest`, `Digest`), else by reading a small one back, else by its size.
///
/// Where the server tells no hash, it lies beside the object in `<object>.json`, so that other devices
/// can verify what they download.
public struct WebDAVTransfer: AttachmentTransfer, Sendable {
  /// `webdav`.
  public static var transferType: String { "webdav" }

  /// Where objects lie, in a folder that has to be there; their references follow.
  public let root: URL
  /// Most bytes of one read.
  public var fetchByteCount: Int64 = 6 << 20
  /// Objects up to this size are read back after an upload when the server tells no hash.
  public var readBackByteCount: Int64 = 1 << 20
  /// Time.
  public var environment = SyncClient.Environment.live

  let transport: HTTPTransport

  /// A transfer to a server.
  ///
  /// - Parameters:
  ///   - root: Where objects lie.
  ///   - transport: The way to the server.
  public init(_ root: URL, transport: HTTPTransport) {
    self.root = root
    self.transport = transport
  }

  /// The transfer of a configuration: `{"type": "webdav", "url": "https://host/folder", "credentials": …}`.
  ///
  /// - Parameters:
  ///   - configuration: The object.
  ///   - transports: Where the transport comes from.
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  public init(_ configuration: JSON, _ transports: HTTPTransports) throws {
    let members = try TargetMembers(
      configuration,
      of: Self.transferType,
      keys: ["url", "credentials"]
    )
    let root = try members.address("url")
    self.init(
      root,
      transport: try transports.transport(to: root, credentials: try members.text("credentials"))
    )
  }

  /// Whole files: there is no standard way to go on with a `PUT`.
  public var chunkByteCount: Int64 { .max }

  /// The objects of the server.
  var store: HTTPObjects {
    HTTPObjects(
      root: root,
      mostBytes: max(1, fetchByteCount),
      transport: transport,
      environment: environment
    )
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
