#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One open state directory: the store and the sync manager over one journal.
public struct SyncClient: Sendable {
  /// The records.
  public let store: Store
  /// The syncs.
  public let manager: SyncManager
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
    guard configuration.maxConcurrentSyncs > 0 else {
      throw SyncError(.configInvalid, "maxConcurrentSyncs is below 1")
    }
    let store = try await Store.open(
      files,
      at: path,
      access: configuration.access,
      environment: configuration.environment
    )
    let manager = SyncManager(
      store: store,
      maxConcurrentSyncs: configuration.maxConcurrentSyncs
    )
    await manager.register(FolderTarget.targetType, down: { try FolderTarget(configuration: $0) })
    await manager.register(FolderTarget.targetType, up: { try FolderTarget(configuration: $0) })
    if configuration.access == .readWrite {
      do {
        try await manager.interruptRuns()
      } catch {
        try await store.close()
        throw error
      }
      await store.compactIfWorthwhile()
    }
    let rounds = SyncRounds()
    await store.listenToEdits { rounds.edits.ring() }
    return SyncClient(store: store, manager: manager, rounds: rounds)
  }

  /// Stops runs, waits for them, ends streams, releases the lock last; good when closed before.
  ///
  /// Afterwards throwing calls throw ENGINE_UNAVAILABLE, the others answer nil, false or empty.
  ///
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING inside a target's own call, STORE.
  public func close() async throws {
    try await manager.checkOutsideTargets()
    await rounds.finish()
    await manager.close()
    await store.compactIfWorthwhile()
    try await store.close()
  }
}

extension SyncClient {
  /// How a client is opened.
  public struct Configuration: Sendable {
    /// Most syncs that run side by side; at least 1.
    public var maxConcurrentSyncs: Int
    /// Whether the client writes.
    public var access: Access
    /// Time, chance and ids.
    public var environment: Environment

    /// The usual configuration.
    public init(
      maxConcurrentSyncs: Int = 4,
      access: Access = .readWrite,
      environment: Environment = .live
    ) {
      self.maxConcurrentSyncs = maxConcurrentSyncs
      self.access = access
      self.environment = environment
    }
  }

  /// Whether a client writes.
  ///
  /// `readOnly`: needs an existing store, opens beside a live writer, shows what verifies of a damaged
  /// one; whatever writes throws STORE_LOCKED.
  public struct Access: Sendable, Equatable {
    private let isReadOnly: Bool
    /// Reads and writes, under the directory's lock.
    public static let readWrite = Access(isReadOnly: false)
    /// Reads only.
    public static let readOnly = Access(isReadOnly: true)
  }
}
