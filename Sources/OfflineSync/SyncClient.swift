#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One open state directory: the store, the sync manager and the attachment queue over one journal.
public struct SyncClient: Sendable {
  /// The records.
  public let store: Store
  /// The syncs.
  public let manager: SyncManager
  /// The attachments.
  public let attachments: AttachmentQueue
  let rounds: SyncRounds

  /// Opens a state directory, or makes one; syncs that a dead process left running are `stopped`.
  ///
  /// - Throws: `SyncError` STORE_LOCKED, STORE_CORRUPT, STORE_TOO_NEW, CONFIG_INVALID, STORE,
  ///   STORE_FULL; read-only also STORE_NOT_FOUND.
  public static func open(
    at stateDirectory: URL,
    configuration: Configuration = .init()
  ) async throws -> SyncClient {
    guard stateDirectory.isFileURL else {
      throw SyncError(.configInvalid, "\(stateDirectory) is no file URL")
    }
    let path = stateDirectory.absoluteURL.standardizedFileURL.path(percentEncoded: false)
    return try await open(SystemFileSystem(), at: path, configuration: configuration)
  }

  /// The same client over memory; nothing outlives it, and paths name no file on disk.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID; read-only STORE_NOT_FOUND.
  public static func inMemory(configuration: Configuration = .init()) async throws -> SyncClient {
    try await open(
      MemoryFileSystem(now: configuration.environment.now),
      at: "/state",
      configuration: configuration
    )
  }

  /// Opens a state directory of any file system.
  package static func open(
    _ files: any FileSystem,
    at path: String,
    configuration: Configuration
  ) async throws -> SyncClient {
    try configuration.check()
    let settings = configuration.attachmentSettings
    let store = try await Store.open(
      files,
      at: path,
      access: configuration.access,
      environment: configuration.environment,
      witness: AttachmentEvidence(owner: settings.owner).witness(of: settings.columns)
    )
    let attachments = await AttachmentQueue(store: store, settings: settings)
    let manager = SyncManager(
      store: store,
      maxConcurrentSyncs: configuration.maxConcurrentSyncs
    )
    await manager.register(FolderTarget.targetType, down: { try FolderTarget(configuration: $0) })
    await manager.register(FolderTarget.targetType, up: { try FolderTarget(configuration: $0) })
    if configuration.access == .readWrite {
      do {
        try await manager.interruptRuns()
        try await attachments.prepare()
      } catch {
        try await store.close()
        throw error
      }
      await store.compactIfWorthwhile()
    }
    let rounds = SyncRounds()
    await store.listenToEdits { rounds.edits.ring() }
    return SyncClient(store: store, manager: manager, attachments: attachments, rounds: rounds)
  }

  /// Stops runs and transfers, waits for them, ends streams, releases the lock last; good when closed before.
  ///
  /// Afterwards throwing calls throw ENGINE_UNAVAILABLE, the others answer nil, false or empty.
  ///
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING inside a target's own call, STORE.
  public func close() async throws {
    try await manager.checkOutsideTargets()
    try attachments.checkOutsideTransfers()
    await rounds.finish()
    await manager.close()
    await attachments.close()
    await store.compactIfWorthwhile()
    try await store.close()
  }
}
