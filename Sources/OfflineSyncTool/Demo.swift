import OfflineSync

/// The demo: one device, and a folder that plays the server.
struct Demo: Sendable {
  /// Where the copy of the records and the state directory lie.
  let place: URL
  let output: Output
  let folder: DemoFolder
  let network = DemoNetwork()

  init(place: URL, output: Output) {
    self.place = place
    self.output = output
    folder = DemoFolder(url: place.appending(path: "remote"))
  }

  /// The whole story; throws when anything is not as it should be.
  func run() async throws {
    let total = try folder.collections().reduce(0) { try $0 + folder.records(in: $1).count }
    try say(
      """
      A folder with \(total) records plays the server, a state directory the device:
        \(folder.url.path)
        \(state.path)
      """
    )
    let changed = try await live()
    try die()
    try await verify(changed: changed)
  }

  /// The device's state directory.
  var state: URL { place.appending(path: "state") }

  /// Opens the device, with targets of the network that can be made to hang.
  func open() async throws -> SyncClient {
    let client = try await SyncClient.open(at: state)
    let network = network
    await client.manager.register(
      FolderTarget.targetType,
      down: { DemoTarget(inner: try FolderTarget(configuration: $0), network: network) }
    )
    try await ConfigurationSource(place.appending(path: "config.json").path).setUp(client.manager)
    return client
  }

  /// Everything up to the death of the process: the client is dropped, not closed.
  ///
  /// - Returns: The records that were changed here.
  private func live() async throws -> [RecordID] {
    let client = try await open()
    try await pullAndStop(client.manager)
    try await editBothSides(client)
    try await cleanGhosts(client)
    return try await changeOnly(client.store)
  }

  /// Says something to the reader.
  func say(_ text: String) throws { try output.line(text) }

  /// Goes on only if it is so.
  func expect(_ isSo: Bool, _ what: String) throws {
    guard isSo else { throw SyncError("DEMO_FAILED", "not so: \(what)") }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
