/// An attachment as the store keeps it: what must survive a kill.
///
/// Times are milliseconds since 1970.
package struct AttachmentRow: Sendable, Equatable {
  /// Which way its bytes go next.
  package enum Direction: String, Sendable {
    /// They came from this device's user.
    case upload
    /// They come from the server.
    case download
  }

  /// The verified bytes on this device.
  package struct LocalFile: Sendable, Equatable {
    /// Where they lie, from the attachments' folder on.
    package var path: String
    /// When the file was last written, which tells whether to read it again before it is trusted.
    package var modified: Int64

    /// A file.
    package init(path: String, modified: Int64) {
      self.path = path
      self.modified = modified
    }
  }

  /// The first part of a download that was cut.
  package struct Partial: Sendable, Equatable {
    /// How many bytes of it are durable.
    package var byteCount: Int64
    /// The version of the object that they are of.
    package var validator: String
    /// The hash that the whole is to have.
    package var sha256: String

    /// A part.
    package init(byteCount: Int64, validator: String, sha256: String) {
      self.byteCount = byteCount
      self.validator = validator
      self.sha256 = sha256
    }
  }

  /// The reference.
  package let reference: String
  /// The field it was made for, or was first found in.
  package var field: AttachmentField
  /// Which way its bytes go next.
  package var direction: Direction
  /// Where it is on its way.
  package var state = AttachmentState.queued
  /// Whether only `retry` brings it back.
  package var isPermanent = false
  /// The token of the transfer that holds it; a transfer with another one has no say.
  package var claim: String?
  /// Claimed attempts.
  package var attempts = 0
  /// When `run()` may claim it again; 0: at once.
  package var notBefore: Int64 = 0
  /// Why the last transfer failed.
  package var error: String?
  /// The code of the last failure.
  package var errorCode: String?
  /// The hash of the whole; nil: not known.
  package var sha256: String?
  /// The size of the whole; nil: not known.
  package var byteCount: Int64?
  /// The media type; nil: not known.
  package var contentType: String?
  /// The bytes here; nil: none.
  package var file: LocalFile?
  /// The unfinished upload on the server.
  package var session: UploadSession?
  /// Bytes of an upload that the server has confirmed.
  package var progress: Int64 = 0
  /// What is here of an unfinished download.
  package var partial: Partial?
  /// The fields that name it.
  package var mentions: [AttachmentMention] = []
  /// Whether a server copy of a record ever named it.
  package var wasOnServer = false
  /// When the row was made, which is its place in the queue.
  package var createdAt: Int64
  /// When its bytes were last asked for.
  package var usedAt: Int64

  /// A new row.
  package init(
    reference: String,
    field: AttachmentField,
    direction: Direction,
    createdAt: Int64
  ) {
    self.reference = reference
    self.field = field
    self.direction = direction
    self.createdAt = createdAt
    usedAt = createdAt
  }
}

extension AttachmentRow {
  /// Whether its bytes are nowhere but on this device, as far as anybody knows.
  package var isUnconfirmed: Bool {
    direction == .upload && [.queued, .uploading, .failed].contains(state)
  }

  /// Whether a server copy of a record names it now: before that no byte goes up.
  package var isOnServer: Bool { mentions.contains(where: \.isOnServer) }

  /// Whether a drive may send its bytes.
  package var isUploadCandidate: Bool {
    direction == .upload && (state == .queued || state == .failed) && !isPermanent && isOnServer
  }

  /// Whether somebody who wants its bytes may fetch them.
  package var isDownloadCandidate: Bool {
    direction == .download && (state == .queued || state == .failed) && !isPermanent
  }

  /// The field that an upload is told.
  package var uploadField: AttachmentField {
    (mentions.first { $0.isOnServer } ?? mentions.first)?.field ?? field
  }

  /// The row as apps see it; `root` is the attachments' folder.
  package func status(root: String) -> AttachmentStatus {
    AttachmentStatus(
      state: state,
      progress: direction == .upload ? progress : 0,
      error: error,
      errorCode: errorCode,
      localPath: file.map { FilePath.join(root, $0.path) },
      permanent: isPermanent,
      attempts: attempts,
      nextAttempt: isUploadCandidate ? notBefore : 0,
      byteCount: byteCount
    )
  }

  /// Whether one row is claimed before another.
  package static func isBefore(_ left: AttachmentRow, _ right: AttachmentRow) -> Bool {
    left.createdAt == right.createdAt
      ? ByteText(left.reference) < ByteText(right.reference) : left.createdAt < right.createdAt
  }
}
