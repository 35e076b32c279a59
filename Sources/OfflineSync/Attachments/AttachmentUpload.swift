/// What is to be uploaded.
public struct AttachmentUpload: Sendable, Equatable {
  /// The name of the object.
  public var reference: String
  /// The field that holds the reference.
  public var field: AttachmentField
  /// The size of the whole.
  public var byteCount: Int64
  /// The hash of the whole, in 64 lower-case hex digits.
  public var sha256: String
  /// The media type.
  public var contentType: String

  /// Describes an upload.
  public init(
    reference: String,
    field: AttachmentField,
    byteCount: Int64,
    sha256: String,
    contentType: String = "application/octet-stream"
  ) {
    self.reference = reference
    self.field = field
    self.byteCount = byteCount
    self.sha256 = sha256
    self.contentType = contentType
  }
}

/// An unfinished upload as the server knows it, stored with the row.
public struct UploadSession: Sendable, Equatable {
  /// The transfer's own, such as an upload URL or an id with its parts.
  ///
  /// It lies in plain text on disk.
  public var token: JSON
  /// Bytes the server has confirmed.
  public var offset: Int64
  /// When the server drops it, in milliseconds since 1970; nil: never.
  public var expires: Int64?

  /// Describes a session.
  public init(token: JSON = .null, offset: Int64 = 0, expires: Int64? = nil) {
    self.token = token
    self.offset = offset
    self.expires = expires
  }
}

/// What the server says of an object; nil: it does not tell.
public struct RemoteAttachment: Sendable, Equatable {
  /// The hash; anything but 64 lower-case hex digits counts as nil.
  public var sha256: String?
  /// The size.
  public var byteCount: Int64?
  /// The media type.
  public var contentType: String?

  /// Describes an object.
  public init(sha256: String? = nil, byteCount: Int64? = nil, contentType: String? = nil) {
    self.sha256 = sha256
    self.byteCount = byteCount
    self.contentType = contentType
  }
}

/// A piece of an object.
public struct FetchedBytes: Sendable, Equatable {
  /// Where the piece starts: as asked, or 0 when the server sent the object anew.
  public var offset: Int64
  /// The bytes.
  public var bytes: [UInt8]
  /// The size of the whole; nil: unknown.
  public var totalByteCount: Int64?
  /// What tells this version of the object from others (a strong ETag); nil: no resume.
  public var validator: String?

  /// A piece.
  public init(
    offset: Int64,
    bytes: [UInt8],
    totalByteCount: Int64? = nil,
    validator: String? = nil
  ) {
    self.offset = offset
    self.bytes = bytes
    self.totalByteCount = totalByteCount
    self.validator = validator
  }
}
