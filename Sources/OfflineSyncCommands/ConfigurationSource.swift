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
  /// The names of its syncs.
  private let names: [String]

  /// Reads the file.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID, naming the file.
  init(_ path: String) throws {
    self.path = path
    do {
      let bytes = try Self.bytes(of: path)
      json = try JSON(parsing: bytes)
      if let repeated = try JSON.repeatedKey(in: bytes) {
        throw SyncError(
          .configInvalid,
          "line \(repeated.line): \(JSON.string(repeated.key).text): stands twice in one object"
        )
      }
      let folder = Self.folder(of: path)
      let contents = try ConfigurationFile(parsing: json, relativeTo: folder)
      names = contents.syncs.map(\.name)
      attachments = contents.attachments
      transfer = try attachments?.transfer.map(Self.transfer)
    } catch let error as FileError {
      throw SyncError(.configInvalid, "\(path): cannot be read: \(error.kind.message)")
    } catch let error as SyncError {
      throw SyncError(.configInvalid, "\(path): \(error.message)")
    }
  }

  /// Creates or updates the syncs of the file.
  ///
  /// - Parameters:
  ///   - manager: Where they are set up.
  ///   - state: The store's directory, for the command that an error may name.
  /// - Returns: Their names.
  /// - Throws: `SyncError` CONFIG_INVALID and SYNC_TARGET_UNKNOWN, naming file, entry and key;
  ///   SYNC_NAME_TAKEN when a name goes the other way.
  @discardableResult
  func setUp(_ manager: SyncManager, state: String) async throws -> Set<ByteText> {
    await ToolProgram.current.register(manager)
    do {
      try await manager.setupSyncs(from: json, relativeTo: Self.folder(of: path))
    } catch var error as SyncError
      where [.configInvalid, .syncTargetUnknown, .syncNameTaken].contains(error.code)
    {
      error.message = "\(path): \(error.message)"
      if error.code == .syncTargetUnknown { error.message += Self.hint }
      if error.code == .syncNameTaken, let id = error.sync,
        let name = await manager.sync(id)?.name
      {
        error.message +=
          ": \"\(ToolProgram.current.name) forget --state \(state.word) \(name.word)\" deletes that sync"
      }
      throw error
    }
    return Set(names.map { ByteText($0) })
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

  /// The bytes of the file.
  private static func bytes(of path: String) throws -> [UInt8] {
    let files = SystemFileSystem()
    guard try files.info(path)?.kind != .directory else {
      throw FileError(.isDirectory, operation: "open", path: path)
    }
    let file = try files.open(path, .read)
    let bytes = try file.read(at: 0, count: Int(clamping: file.byteCount()))
    try file.close()
    return bytes
  }

  /// The transfer of a configuration: of the core's type, or of one that the program knows.
  private static func transfer(_ json: JSON) throws -> any AttachmentTransfer {
    do {
      if json["type"]?.string == FolderTarget.targetType {
        return try FolderTransfer(configuration: json)
      }
      if let transfer = try ToolProgram.current.transfer(json) { return transfer }
      let type = (json["type"] ?? .null).text
      throw SyncError(.configInvalid, "transfer: type: \(type) is not known\(hint)")
    } catch var error as SyncError {
      error.message = "attachments: \(error.message)"
      throw error
    }
  }

  /// Where an unknown type may be known.
  private static var hint: String {
    let name = ToolProgram.current.name
    return name == "offlinesync"
      ? ": offlinesync knows \"folder\" alone, offlinesync-http those of HTTP servers" : ""
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
