/// The folder of one collection in a folder remote: its record files, and its tombstones in `.deleted`.
///
/// Names that begin with a dot, temporary files among them, and names that do not end in `.json` are
/// no records. Every error about the folder itself is thrown as NETWORK, so that a folder that cannot be
/// read never looks like an empty one, and costs no record an attempt.
package struct FolderCollection: Sendable {
  /// The name of the tombstones' folder.
  package static let deleted = ".deleted"

  /// The absolute path of the collection's folder.
  package let path: String
  let files: any FileSystem
  let idField: String
  let dateField: String
  /// The latest date that is believed: a clock that is far ahead must not delete what is written later.
  package var latestDate = Int64.max

  /// The folder of the collection below `root`.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID for a name that would leave the folder or be hidden in it.
  package init(
    _ collection: String,
    below root: String,
    files: any FileSystem,
    idField: String,
    dateField: String
  ) throws {
    guard
      !collection.isEmpty, collection.utf8.first != UInt8(ascii: "."),
      !collection.utf8.contains(UInt8(ascii: "/")), !collection.utf8.contains(0)
    else {
      throw SyncError(
        .configInvalid,
        "the \"collection\" \(JSON.string(collection).text) cannot be the name of a folder"
      )
    }
    path = FilePath.join(root, collection)
    self.files = files
    self.idField = idField
    self.dateField = dateField
  }

  /// The names of the record files, in the order of their bytes.
  package func names() throws -> [String] {
    try reporting { try files.list(path).filter(FolderName.isFile) }
  }

  /// The names of the tombstones as paths in the collection's folder; none while nothing was deleted.
  package func tombstones() throws -> [String] {
    let directory = FilePath.join(path, Self.deleted)
    return try reporting {
      guard try files.info(directory) != nil else { return [] }
      return try files.list(directory).filter(FolderName.isFile)
        .map { FilePath.join(Self.deleted, $0) }
    }
  }

  /// Whether anything has this name.
  package func holds(_ name: String) throws -> Bool {
    try reporting {
      do {
        return try files.info(FilePath.join(path, name)) != nil
      } catch let error as FileError where error.kind == .nameTooLong {
        return false
      }
    }
  }

  /// Reads one file by its name, or by its path in the collection's folder.
  package func read(_ name: String) -> FolderFile {
    let bytes: [UInt8]
    do {
      bytes = try files.read(FilePath.join(path, name))
    } catch let error as FileError where error.kind == .absent && isGone(name) {
      return .absent
    } catch {
      return .unusable(
        problem(
          name,
          .syncTargetFailed,
          "cannot be read: \(error)",
          isRetryable: true,
          isPassing: (error as? FileError)?.isPassing ?? true
        )
      )
    }
    guard let named = FolderName.id(ofFile: FilePath.name(of: name)) else {
      return .unusable(problem(name, .recordMalformed, "its name is no percent-encoded id"))
    }
    let record: Record
    do {
      record = try Record(json: bytes)
    } catch {
      let reason = (error as? SyncError)?.message ?? "\(error)"
      return .unusable(problem(name, .recordMalformed, reason, bytes: bytes))
    }
    guard let id = record.id(field: idField) else {
      return .unusable(
        problem(name, .recordMalformed, "it has no usable id in \"\(idField)\"", bytes: bytes)
      )
    }
    guard id == named else {
      return .unusable(
        problem(name, .recordMalformed, "its name stands for another id than the one in it")
      )
    }
    return .record(record, id: id, date: record.milliseconds(field: dateField))
  }

  /// What is reported of a file that does not count.
  ///
  /// `isPassing`: the file may be whole at the next look, so that a push to it costs no attempt.
  package func problem(
    _ name: String,
    _ code: SyncError.Code,
    _ message: String,
    isRetryable: Bool = false,
    isPassing: Bool = true,
    bytes: [UInt8] = []
  ) -> RecordProblem {
    var failure = RecordFailure(code: code.rawValue, message: message, isRetryable: isRetryable)
    failure.isPassing = isPassing
    return RecordProblem(name: name, failure: failure, bytes: bytes)
  }

  /// Whether a file that could not be found is not there, rather than a link to nothing, or one whose
  /// name is no UTF-8 and was listed with U+FFFD in its place.
  private func isGone(_ name: String) -> Bool {
    do {
      return try !holds(name) && !name.unicodeScalars.contains("\u{FFFD}")
    } catch {
      return false
    }
  }
}
