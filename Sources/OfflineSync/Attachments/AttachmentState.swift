/// Where an attachment is on its way; a literal of no state's name is `missing`.
public enum AttachmentState: String, Sendable, CaseIterable {
  /// Waits: for the push of its record, for a drive, or for somebody to ask for its bytes.
  ///
  /// Followed by `uploading`, `downloading`, `failed`, `orphaned`, `evicted`.
  case queued
  /// A transfer is sending its bytes.
  ///
  /// Followed by `synced`, `failed`, `queued`, `orphaned`, `evicted`.
  case uploading
  /// A transfer is fetching its bytes.
  ///
  /// Followed by `synced`, `failed`, `queued`, `orphaned`, `evicted`.
  case downloading
  /// The server has confirmed the object, or its verified bytes are local.
  ///
  /// Followed by `queued` when its bytes are gone and wanted again, `orphaned`, `evicted`.
  case synced
  /// Its last transfer failed, or was cancelled.
  ///
  /// Followed by what follows `queued`, and by `queued` itself.
  case failed
  /// The server has said that the record which named it is gone or names something else.
  ///
  /// Followed by `queued` when a record names it again, `evicted`; a vacuum removes it.
  case orphaned
  /// This device dropped it without such evidence: the bytes are gone here, the object stays.
  ///
  /// Followed by `queued` when a record names it again.
  case evicted
  /// There is no row for the reference; only watchers are told.
  case missing
}

extension AttachmentState: ExpressibleByStringLiteral {
  /// The state of this name; any other text is `missing`.
  public init(stringLiteral value: String) { self = Self(rawValue: value) ?? .missing }
}
