// How one record is found among the files, and whether it counts as deleted.

extension FolderCollection {
  /// The names of these records' files: the written one, else the first other encoding of it.
  ///
  /// The folder is listed, at most once, only when a record has no file of the written name; it throws
  /// when it is the folder that is missing.
  func names(of ids: [RecordID]) throws -> [RecordID: String] {
    var found: [RecordID: String] = [:]
    var rest: Set<RecordID> = []
    for id in ids {
      try Task.checkCancellation()
      let name = FolderName.file(of: id)
      if try holds(name) { found[id] = name } else { rest.insert(id) }
    }
    guard ids.isEmpty || !rest.isEmpty else { return found }
    for name in try names() {
      guard let id = FolderName.id(ofFile: name), rest.contains(id), found[id] == nil else {
        continue
      }
      found[id] = name
    }
    return found
  }

  /// The record's file and its name; nil: it has none.
  func find(_ id: RecordID) throws -> (name: String, file: FolderFile)? {
    guard let name = try names(of: [id])[id] else { return nil }
    let file = read(name)
    return file == .absent ? nil : (name, file)
  }

  /// Whether the record has a tombstone, whatever is in it.
  func hasTombstone(_ id: RecordID) throws -> Bool {
    try holds(FilePath.join(Self.deleted, FolderName.file(of: id)))
  }

  /// Whether the record's tombstone is later than the date of its file; without a date nothing is.
  func isDeleted(_ id: RecordID, since date: Int64?) throws -> Bool {
    guard let date, try hasTombstone(id),
      case .record(_, _, let deletedAt?) = read(
        FilePath.join(Self.deleted, FolderName.file(of: id))
      )
    else { return false }
    return isDeletion(at: deletedAt, of: date)
  }

  /// Whether a tombstone with one date deletes a file with another: it is later, and no clock that is far
  /// ahead has written it, unless the same has dated the file.
  func isDeletion(at deletedAt: Int64?, of date: Int64?) -> Bool {
    guard let deletedAt, let date, deletedAt > date else { return false }
    return deletedAt <= latestDate || date > latestDate
  }

  /// Whether a tombstone would delete the file if its date could be believed.
  func isFarAhead(_ deletedAt: Int64?, of date: Int64?) -> Bool {
    guard let deletedAt, let date, deletedAt > date else { return false }
    return !isDeletion(at: deletedAt, of: date)
  }
}
