/// What one round did.
public struct SyncReport: Sendable, Equatable {
  /// The terminal state of each run, in the order they ended.
  public let syncs: [SyncState]
  /// One for each sync that could not be run.
  public let refusals: [SyncError]
  /// Records still changed after the round's push, so its `overwrite` pulls left them alone.
  public let protectedRecords: [RecordID]
  /// How many attachments went up.
  public let uploadedAttachments: Int
  /// Why the attachment phase ended early; nil: it did not, or there was none.
  public let attachmentError: SyncError?
  /// The changes that no round sends again, whenever they were parked: until an edit or `Store.retry`.
  public let parkedRecords: [ParkedRecord]
  /// The attachments that no round moves again, whenever that happened: until `AttachmentQueue.retry`.
  public let exhaustedAttachments: [AttachmentUpdate]

  /// Whether every run is done, with no failed record, nothing refused and no attachment error.
  ///
  /// It tells of what this round tried. What earlier rounds have given up is not tried again: see
  /// ``isComplete``.
  public var succeeded: Bool {
    refusals.isEmpty && attachmentError == nil
      && syncs.allSatisfy { $0.status == .done && $0.counts.failed == 0 }
  }

  /// Whether the round succeeded and nothing is left that only an edit or a retry brings to the server.
  ///
  /// Conflicts wait for a decision and are no failure: see `Store.conflicts(in:)`.
  public var isComplete: Bool {
    succeeded && parkedRecords.isEmpty && exhaustedAttachments.isEmpty
  }
}
