import OfflineSync

/// The configuration file that `--config` names.
struct ConfigurationSource: Sendable {
  /// Where it lies.
  let path: String
  /// What it says of attachments; nil: nothing.
  private let attachments: ConfigurationFile.Attachments?
  /// How it moves their bytes; nil: not at all.
  private let transfer: (any AttachmentTransfer)?
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
      let folder = Self.folder(of: path)
      attachments = try ConfigurationFile(parsing: json, relativeTo: folder).attachments
      transfer = try attachments?.transfer.map(Self.transfer)
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
    await ToolProgram.current.register(manager)
    do {
      try await manager.setupSyncs(from: json, relativeTo: Self.folder(of: path))
    } catch var error as SyncError
      where [.configInvalid, .syncTargetUnknown, .syncNameTaken].contains(error.code)
    {
      error.message = "\(path): \(error.message)"
      throw error
    }
  }

  /// How a client is opened that moves attachments as the file says.
  var client: SyncClient.Configuration {
    SyncClient.Configuration(
      owner: attachments?.owner,
      attachmentColumns: (attachments?.fields ?? []).map {
        AttachmentColumn(collection: $0.collection, field: $0.field)
      },
      transfer: transfer
    )
  }

  /// The transfer of a configuration: of the core's type, or of one that the program knows.
  private static func transfer(_ json: JSON) throws -> any AttachmentTransfer {
    do {
      if json["type"]?.string == FolderTarget.targetType {
        return try FolderTransfer(configuration: json)
      }
      if let transfer = try ToolProgram.current.transfer(json) { return transfer }
      let type = (json["type"] ?? .null).text
      throw SyncError(.configInvalid, "transfer: type: \(type) is not known")
    } catch var error as SyncError {
      error.message = "attachments: \(error.message)"
      throw error
    }
  }

  /// Where relative paths start.
  private static func folder(of path: String) -> URL {
    URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent()
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
