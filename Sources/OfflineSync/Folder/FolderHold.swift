/// The collection's folder as a call or a fetch found it, held open.
///
/// What is not found in a folder means something only while the folder itself is there: a volume may be
/// taken away, or an empty one mounted over it, between two files.
package struct FolderHold: Sendable {
  /// The folder's files.
  package let collection: FolderCollection
  /// Open, so that no other folder can get its identity.
  private let folder: any File

  init(_ folder: any File, of collection: FolderCollection) {
    self.collection = collection
    self.folder = folder
  }

  /// Throws unless the folder is still there, is the same, and its files can be reached.
  ///
  /// - Throws: `SyncError` NETWORK.
  package func check() throws {
    try collection.reporting {
      let files = collection.files
      let present = try files.open(collection.path, .directory)
      guard try present.identity() == folder.identity() else {
        throw SyncError(
          .network,
          "the folder \(collection.path) is not the one that was there before"
        )
      }
      try present.close()
      // Listed it can be without this permission.
      _ = try files.info(FilePath.join(collection.path, FolderCollection.deleted))
    }
  }
}

extension FolderCollection {
  /// Opens the folder, for as long as the answer is kept.
  ///
  /// - Throws: `SyncError` NETWORK when it is missing or cannot be read.
  package func hold() throws -> FolderHold { FolderHold(try openFolder(), of: self) }

  /// Answers what `work` makes of the folder, if that was there all the time.
  ///
  /// - Throws: `SyncError` NETWORK, and what `work` throws.
  func holding<Answer>(_ work: () throws -> Answer) throws -> Answer {
    let hold = try hold()
    let answer = try work()
    try hold.check()
    return answer
  }
}
