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

  /// Whether every run is done, with no failed record, nothing refused and no attachment error.
  public var succeeded: Bool {
    refusals.isEmpty && attachmentError == nil
      && syncs.allSatisfy { $0.status == .done && $0.counts.failed == 0 }
  }
}
