/// Attachment bytes in a folder remote, with hash and size beside them.
///
/// An object is `folder/.attachments/<encoded reference>`; while it is partial, `.part` beside it; and
/// `<encoded reference>.json` once it is whole, without which it is not available. Uploads go on where
/// they were cut, downloads too.
public struct FolderTransfer: AttachmentTransfer, Sendable {
  /// The folder that holds one folder for each collection, and the attachments' one.
  public var folder: URL
  /// Where the folder lies.
  package var files: any FileSystem = SystemFileSystem()

  /// Keeps objects below `folder`.
  public init(_ folder: URL) { self.folder = folder }

  /// The transfer of a configuration file's part about attachments: `{"type":"folder","path":…}`.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  package init(configuration: JSON) throws {
    guard let members = configuration.object else {
      throw SyncError(.configInvalid, "the transfer is no object")
    }
    for (key, _) in members where key != "type" && key != "path" {
      throw SyncError(.configInvalid, "the transfer of type folder has no key \"\(key)\"")
    }
    guard members["type"]?.string == FolderTarget.targetType else {
      throw SyncError(
        .configInvalid,
        "the transfer's \"type\" is not \"\(FolderTarget.targetType)\""
      )
    }
    guard let path = members["path"]?.string, !path.isEmpty, !path.utf8.contains(0) else {
      throw SyncError(.configInvalid, "the transfer's \"path\" is no text, or an empty one")
    }
    self.init(URL(filePath: path, directoryHint: .isDirectory).absoluteURL)
  }

  /// The absolute path of the folder, without a slash at its end.
  package var path: String {
    let path = folder.absoluteURL.path(percentEncoded: false)
    return path.utf8.last == UInt8(ascii: "/") && path.utf8.count > 1
      ? String(path.dropLast()) : path
  }
}

extension FolderTransfer: Equatable {
  /// Compares where objects lie.
  public static func == (left: FolderTransfer, right: FolderTransfer) -> Bool {
    left.path == right.path
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
