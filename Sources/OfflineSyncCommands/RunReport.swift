import OfflineSync

/// What `run` did: of a round, or of the syncs that were named.
struct RunReport: Sendable {
  /// The terminal state of each run, in the order they ended.
  var syncs: [SyncState] = []
  /// Why syncs could not be run.
  var refusals: [SyncError] = []
  /// The records that a round's pulls left alone, because they still hold changes.
  var protectedRecords: [RecordID] = []
  /// How many attachments went up.
  var uploadedAttachments = 0
  /// Why no more attachments went up.
  var attachmentError: SyncError?
  /// The attachments that failed meanwhile.
  var failedAttachments: [AttachmentUpdate] = []

  init() {}

  init(_ report: SyncReport) {
    syncs = report.syncs
    refusals = report.refusals
    protectedRecords = report.protectedRecords
    uploadedAttachments = report.uploadedAttachments
    attachmentError = report.attachmentError
  }

  /// Whether every run is done with every record and no attachment failed; conflicts are no failure.
  var succeeded: Bool {
    refusals.isEmpty && attachmentError == nil && failedAttachments.isEmpty
      && syncs.allSatisfy {
        $0.status == .done && $0.counts.failed == 0 && $0.counts.malformed == 0
      }
  }

  /// The last line for programs.
  var json: JSON {
    [
      "event": "report", "succeeded": .bool(succeeded), "syncs": .array(syncs.map(\.json)),
      "refusals": .array(refusals.map(\.json)),
      "protectedRecords": .array(protectedRecords.map(\.token)),
      "uploadedAttachments": JSON(uploadedAttachments),
      "attachmentError": attachmentError?.json ?? .null,
    ]
  }

  /// The last line for people.
  var summary: String {
    let done = syncs.count { $0.status == .done }
    let wanted = syncs.count + refusals.count
    let files = uploadedAttachments
    let parts = [
      wanted == 0 ? nil : "\(done) of \(wanted) syncs done",
      files == 0 ? nil : "\(files) \(files == 1 ? "attachment" : "attachments") uploaded",
    ].compactMap { $0 }
    return parts.isEmpty ? "there is nothing to run" : parts.joined(separator: ", ")
  }

  /// Writes each failure as an error.
  func complain(_ output: Output) {
    for state in syncs {
      switch state.status {
      case .failed:
        let code = state.errorCode.map(SyncError.Code.init(rawValue:)) ?? .syncTargetFailed
        output.error(code, "\(state.label): \(state.error ?? "the run failed")")
      case .stopped: output.error(.syncManagerStopped, "\(state.label): the run was stopped")
      case .new, .running, .done: break
      }
      for problem in state.problems {
        output.error(
          SyncError.Code(rawValue: problem.failure.code),
          "\(state.label): \(problem.name): \(problem.failure.message)"
        )
      }
      let more = state.counts.malformed + state.counts.failed - state.problems.count
      if more > 0, state.counts.malformed > 0, state.problems.count >= 100 {
        output.error(.recordMalformed, "\(state.label): \(more) more records")
      }
    }
    for refusal in refusals { output.error(refusal) }
    for failed in failedAttachments { failed.complain(output) }
    if let attachmentError { output.error(attachmentError) }
  }
}
