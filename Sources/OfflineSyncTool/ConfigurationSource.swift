import OfflineSync

/// The configuration file that `--config` names.
struct ConfigurationSource: Sendable {
  /// Where it lies.
  let path: String
  /// Whether it has a part about attachments.
  let hasAttachments: Bool
  private let json: JSON

  /// Reads the file.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID, naming the file.
  init(_ path: String) throws {
    self.path = path
    do {
      let file = try SystemFileSystem().open(path, .read)
      json = try JSON(parsing: file.read(at: 0, count: Int(clamping: file.byteCount())))
      try file.close()
      hasAttachments = try ConfigurationFile(parsing: json, relativeTo: nil).attachments != nil
    } catch let error as FileError {
      throw SyncError(.configInvalid, "\(path): cannot be read: \(error.kind.message)")
    } catch let error as SyncError {
      throw SyncError(.configInvalid, "\(path): \(error.message)")
    }
  }

  /// Creates or updates the syncs of the file.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID and SYNC_TARGET_UNKNOWN, naming file, entry and key.
  func setUp(_ manager: SyncManager) async throws {
    do {
      try await manager.setupSyncs(from: json, relativeTo: folder)
    } catch var error as SyncError
      where [.configInvalid, .syncTargetUnknown, .syncNameTaken].contains(error.code)
    {
      error.message = "\(path): \(error.message)"
      throw error
    }
  }

  /// Where relative paths start.
  private var folder: URL {
    URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent()
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
