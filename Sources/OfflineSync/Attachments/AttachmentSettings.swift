/// What a client's configuration says of attachments.
package struct AttachmentSettings: Sendable {
  /// First segment of references; nil: nothing can be attached.
  package var owner: String?
  /// The fields that hold references.
  package var columns: [AttachmentColumn] = []
  /// Moves bytes; nil: nothing does.
  package var transfer: (any AttachmentTransfer)?
  /// Claimed attempts before a row turns permanent.
  package var attempts = 5
  /// Most uploads side by side.
  package var maxConcurrentUploads = 2
  /// Most downloads side by side.
  package var maxConcurrentDownloads = 4
  /// Longest wait for a call without bytes; zero: for ever.
  package var controlTimeout: Duration = .seconds(30)
  /// Longest wait for a call with bytes; zero: for ever.
  package var bytesTimeout: Duration = .seconds(120)
  /// Most bytes of files that are no more than a cache; nil: no limit.
  package var cacheByteCount: Int64?

  /// Nothing can be attached or moved.
  package init() {}
}
