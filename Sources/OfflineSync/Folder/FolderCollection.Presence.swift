extension FolderCollection {
  /// Which of these records are in the folder.
  ///
  /// A file counts whose name stands for the id, whatever is in it: what cannot be read may be the
  /// record. Missing is only a record without any file, or with a tombstone that is later.
  package func present(among ids: [RecordID]) throws -> Set<RecordID> {
    var present: Set<RecordID> = []
    var withoutFile: Set<RecordID> = []
    for id in ids {
      try Task.checkCancellation()
      let name = FolderName.file(of: id)
      if try !holds(name) {
        withoutFile.insert(id)
      } else if try !isDeleted(name) {
        present.insert(id)
      }
    }
    guard present.isEmpty || !withoutFile.isEmpty else { return present }
    // The list knows the other encodings of a name, and fails if it is the folder that is missing.
    return present.union(withoutFile.intersection(try names().compactMap(FolderName.id)))
  }

  /// Whether the record of this file has a tombstone that is later.
  private func isDeleted(_ name: String) throws -> Bool {
    let tombstone = FilePath.join(Self.deleted, name)
    guard try holds(tombstone),
      case .record(_, _, let deletedAt?) = read(tombstone),
      case .record(_, _, let date?) = read(name)
    else { return false }
    return deletedAt > date
  }
}
