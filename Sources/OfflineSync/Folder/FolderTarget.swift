/// A folder of JSON files as the remote: a shared, synced or mounted folder that people edit too.
///
/// `folder/<collection>/<encoded id>.json` holds one record with its id and modification date.
/// Target type `folder`, registered in every manager; `setupSyncs` fills in the collection.
public struct FolderTarget: SyncDownTarget, Sendable {
  /// `folder`.
  public static var targetType: String { "folder" }

  /// The folder that holds one folder for each collection.
  public var folder: URL
  /// The collection whose folder is read; empty: that of the sync.
  public var collection: String
  /// Most records and deletions of one page.
  public var pageSize: Int
  /// The field that holds the id.
  public var idFieldName = "Id"
  /// The field that holds the modification date: ISO 8601, or integer milliseconds.
  public var modificationDateFieldName = "lastModifiedDate"

  /// Where the folder lies.
  package var files: any FileSystem = SystemFileSystem()
  /// What a run has still to send.
  package var fetch: FolderFetch?

  /// Reads the collection's folder below `folder`.
  public init(_ folder: URL, collection: String, pageSize: Int = 200) {
    self.folder = folder
    self.collection = collection
    self.pageSize = pageSize
  }

  /// The absolute path of the folder, without a slash at its end.
  package var path: String {
    let path = folder.absoluteURL.path(percentEncoded: false)
    return path.utf8.last == UInt8(ascii: "/") && path.utf8.count > 1
      ? String(path.dropLast()) : path
  }
}

extension FolderTarget: Equatable {
  /// Compares what a target reads and how, not how far a run of it has come.
  public static func == (left: FolderTarget, right: FolderTarget) -> Bool {
    left.path == right.path && left.collection == right.collection
      && left.pageSize == right.pageSize && left.idFieldName == right.idFieldName
      && left.modificationDateFieldName == right.modificationDateFieldName
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
