public import OfflineSync

extension SyncClient {
  /// Opens a client whose state directory lies on a simulated disk.
  ///
  /// What a power cut or a kill leaves is opened in the same way:
  /// ``SimulatedFileSystem/survivingStates(limit:seed:)``, ``SimulatedFileSystem/afterKill()``.
  ///
  /// - Parameters:
  ///   - disk: The disk.
  ///   - path: The state directory on it.
  ///   - configuration: How the client is opened.
  /// - Returns: The client.
  /// - Throws: As `open(at:configuration:)`.
  public static func open(
    on disk: SimulatedFileSystem,
    at path: String = "/state",
    configuration: Configuration = .init()
  ) async throws -> SyncClient {
    try await open(disk, at: path, configuration: configuration)
  }
}
