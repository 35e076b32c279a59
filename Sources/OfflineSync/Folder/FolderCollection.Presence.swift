extension FolderCollection {
  /// Which of these records are in the folder.
  ///
  /// A file counts whose name stands for the id, whatever is in it: what cannot be read may be the
  /// record. Missing is only a record without any file, or with a tombstone that is later.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is not there all the time, or cannot be read.
  package func present(among ids: [RecordID]) throws -> Set<RecordID> {
    try holding {
      var present: Set<RecordID> = []
      for (id, name) in try names(of: ids) {
        try Task.checkCancellation()
        if try !isDeleted(id, by: name) { present.insert(id) }
      }
      return present
    }
  }

  private func isDeleted(_ id: RecordID, by name: String) throws -> Bool {
    guard try hasTombstone(id), case .record(_, _, let date) = read(name) else { return false }
    return try isDeleted(id, since: date)
  }
}
