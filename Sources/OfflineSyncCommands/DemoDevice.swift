import OfflineSync

/// A device of the demo: a state directory, a configuration, and a network that can fail.
struct DemoDevice: Sendable {
  /// How the story calls it.
  let name: String
  /// Its state directory.
  let state: URL
  /// Its configuration file.
  let configuration: URL
  let network = DemoNetwork()

  /// Opens it, as at every launch of an app.
  func open() async throws -> SyncClient {
    let network = network
    let source = try ConfigurationSource(configuration.path)
    var settings = source.client
    settings.transfer = source.client.transfer.map {
      DemoTransfer(inner: $0, network: network)
    }
    // One after another, so that the story is the same every time.
    settings.maxConcurrentUploads = 1
    settings.maxConcurrentDownloads = 1
    let client = try await SyncClient.open(at: state, configuration: settings)
    await client.manager.register(
      FolderTarget.targetType,
      down: { DemoTarget(inner: try FolderTarget(configuration: $0), network: network) }
    )
    await client.manager.register(
      FolderTarget.targetType,
      up: { DemoTarget(inner: try FolderTarget(configuration: $0), network: network) }
    )
    try await source.setUp(client.manager, state: state.path)
    return client
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
