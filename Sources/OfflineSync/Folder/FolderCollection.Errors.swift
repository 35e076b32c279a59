// Whose failure it is when the file system refuses: the folder's, or one record's.

extension FolderCollection {
  /// Throws what the file system refuses as the folder's failure.
  ///
  /// A full disk too: STORE_FULL is about the device's own.
  func reporting<Answer>(_ work: () throws -> Answer) throws -> Answer {
    do {
      return try work()
    } catch let error as FileError {
      throw unreachable(error)
    }
  }

  /// As `reporting`, but of one record's file; what concerns that alone is thrown as SYNC_TARGET_FAILED.
  func reportingRecord<Answer>(_ work: () throws -> Answer) throws -> Answer {
    do {
      return try work()
    } catch let error as FileError where error.concernsOneFile {
      var failure = RecordFailure(
        code: SyncError.Code.syncTargetFailed.rawValue,
        message: error.description,
        isRetryable: true
      )
      failure.isPassing = error.isPassing
      throw RecordRefusal(failure: failure.asOfPush)
    } catch let error as FileError {
      throw unreachable(error)
    }
  }

  /// The folder cannot be used: as with a network that is down, nothing is known of any record.
  func unreachable(_ error: FileError) -> SyncError {
    SyncError(.network, "the folder \(path) cannot be used: \(error)", underlying: error)
  }
}

/// One record's file cannot be written, whatever becomes of the others.
struct RecordRefusal: Error {
  let failure: RecordFailure
}

extension RecordFailure {
  /// How long a file is left alone that cannot be used now.
  private static let rest = Duration.seconds(60)

  /// The failure as the answer to a push: what may pass by itself is tried again, and costs no attempt.
  var asOfPush: RecordFailure {
    guard isPassing else { return self }
    var failure = self
    failure.isRetryable = true
    failure.retryAfter = Self.rest
    return failure
  }
}

extension FileError {
  /// Whether it may go by itself: something else than a file in the file's place does not.
  fileprivate var isStructural: Bool {
    [.isDirectory, .nameTooLong, .symbolicLink, .invalid, .absent].contains(kind)
  }

  /// Whether reading or writing the same file may succeed the next time.
  var isPassing: Bool { !isStructural }

  /// Whether it says something about one file alone: what stands in its place, its name, or who owns or
  /// uses it; a folder that may not be written refuses the temporary file before.
  fileprivate var concernsOneFile: Bool {
    switch kind {
    case .isDirectory, .nameTooLong: true
    case .noPermission, .busy: operation == "rename" || operation == "remove"
    default: false
    }
  }
}
