public import OfflineSync

/// Attachment uploads by tus 1.0.0, which go on at the byte that the server confirmed.
///
/// Uploads are created at an endpoint with these metadata: `filename` is the reference, `filetype` the
/// media type, `sha256` the hash. The server makes of a whole upload an object at the address `objects`
/// followed by the segments of the reference; there it is read by range (`Range`, `If-Range` with the
/// `ETag`), described by `HEAD`, and deleted. So that other devices can verify what they download, the
/// server tells the hash: `Repr-Digest` (RFC 9530) or `Digest` with SHA-256.
///
/// Of the protocol's extensions it uses those that the server names: creation-with-upload for small
/// files, expiration, termination, checksum (SHA-256 or SHA-1, over each chunk), creation-defer-length.
/// After the last byte the object is verified, not only the offset: by the server's hash, else by reading
/// a small one back, else by its size.
///
/// It shares what it learns of the server among its copies. A session of another origin is dropped, and
/// no token goes there.
public struct TusTransfer: AttachmentTransfer, Sendable {
  /// `tus`.
  public static var transferType: String { "tus" }

  /// Where uploads are created.
  public let endpoint: URL
  /// Where objects lie; their references follow.
  public let objects: URL
  /// Most bytes of one request; a server that refuses so many gets half of them.
  public var chunkByteCount: Int64 = 6 << 20
  /// Files up to this size go up with the request that creates them, if the server takes it; 0: none.
  ///
  /// Such an upload starts anew when the answer is lost.
  public var createWithUploadByteCount: Int64 = 128 << 10
  /// Objects up to this size are read back after an upload when the server tells no hash.
  public var readBackByteCount: Int64 = 1 << 20
  /// Whether the length is told with the first bytes only, if the server takes that.
  public var defersLength = false
  /// The metadata of an upload; keys without space and comma.
  public var metadata: @Sendable (AttachmentUpload) -> [String: String] = { upload in
    [
      "filename": upload.reference, "filetype": upload.contentType, "sha256": upload.sha256,
    ]
  }
  /// Time.
  public var environment = SyncClient.Environment.live

  let transport: HTTPTransport
  let server = TusServer()

  /// A transfer to a server.
  ///
  /// - Parameters:
  ///   - endpoint: Where uploads are created, with a slash at its end if the server wants one.
  ///   - objects: Where objects lie, on the same origin.
  ///   - transport: The way to the server.
  public init(_ endpoint: URL, objects: URL, transport: HTTPTransport) {
    self.endpoint = endpoint
    self.objects = objects
    self.transport = transport
  }

  /// The transfer of a configuration.
  ///
  /// `{"type": "tus", "url": "https://host/files/", "objects": "https://host/objects", "credentials": …,
  /// "chunkByteCount": 6291456}`; the first two are required.
  ///
  /// - Parameters:
  ///   - configuration: The object.
  ///   - transports: Where the transport comes from.
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  public init(_ configuration: JSON, _ transports: HTTPTransports) throws {
    let members = try TargetMembers(
      configuration,
      of: Self.transferType,
      keys: ["url", "objects", "credentials", "chunkByteCount"]
    )
    let plain = try members.address("url")
    // A slash at the end of an endpoint counts.
    let endpoint = URL(string: try members.required("url")) ?? plain
    let objects = try members.address("objects")
    guard HTTPOrigin(objects) == HTTPOrigin(endpoint) else {
      throw members.mistake("objects", "has another origin than the \"url\"")
    }
    let transport = try transports.transport(
      to: endpoint,
      credentials: try members.text("credentials")
    )
    self.init(endpoint, objects: objects, transport: transport)
    if let count = try members.number("chunkByteCount", atLeast: 1) {
      chunkByteCount = Int64(count)
    }
  }

  /// The objects of the server.
  var store: HTTPObjects {
    HTTPObjects(
      root: objects,
      mostBytes: max(1, chunkByteCount),
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
