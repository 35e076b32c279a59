/// One drive of uploads: what is still to be claimed, and how it goes.
package struct UploadDrive: Sendable {
  /// References that wait for a worker, the next one last.
  package var waiting: [String] = []
  /// References that this drive has had, or is to leave alone.
  package var tried: Set<ByteText> = []
  /// How many uploads were completed.
  package var completedCount = 0
  /// Why nothing more is claimed: the server would answer the same to every other.
  package var refusal: SyncError?
  /// What could not be stored.
  package var storeFailure: SyncError?

  /// A drive that has done nothing yet.
  package init() {}

  /// Whether another one may be claimed.
  package var isGoing: Bool { refusal == nil && storeFailure == nil }

  /// The next reference to claim; nil: none.
  package mutating func next() -> String? {
    while isGoing, let reference = waiting.popLast() {
      if tried.insert(ByteText(reference)).inserted { return reference }
    }
    return nil
  }

  /// Takes how an upload ended.
  package mutating func take(_ result: Result<TransferStep.End, SyncError>) {
    switch result {
    case .success(.synced): completedCount += 1
    case .success(.refused(let error)): refusal = refusal ?? error
    case .success: return
    case .failure(let error): storeFailure = storeFailure ?? error
    }
  }

  /// What came of a drive.
  package struct Report: Sendable, Equatable {
    /// How many uploads were completed.
    package let completedCount: Int
    /// Why it ended early; nil: it did not.
    package let refusal: SyncError?
  }
}
