import OfflineSync

/// The demo: two devices, and a folder that plays the server.
struct Demo: Sendable {
  let output: Output
  let folder: DemoFolder
  let phone: DemoDevice
  let tablet: DemoDevice

  /// The devices as they are open.
  struct Clients {
    var phone: SyncClient
    var tablet: SyncClient
  }

  /// A demo in a folder that holds configurations and records, and will hold both devices' states.
  init(place: URL, output: Output) {
    self.output = output
    folder = DemoFolder(url: place.appending(path: "remote"))
    phone = DemoDevice(
      name: "phone",
      state: place.appending(path: "phone"),
      configuration: place.appending(path: "config.json")
    )
    tablet = DemoDevice(
      name: "tablet",
      state: place.appending(path: "tablet"),
      configuration: place.appending(path: "tablet.json")
    )
  }

  /// The whole story; throws when anything is not as it should be.
  func run() async throws {
    let total = try folder.collections().reduce(0) { try $0 + folder.records(in: $1).count }
    try say(
      """
      A folder with \(total) records plays the server, two state directories play devices:
        \(folder.url.path)
        \(phone.state.path)
        \(tablet.state.path)
      """
    )
    let (pictures, change) = try await live()
    try die()
    try await verify(pictures, change)
  }

  /// Everything up to the death of the phone's process: its client is dropped, not closed.
  ///
  /// - Returns: The pictures that were attached, and the record that was changed last.
  private func live() async throws -> ([DemoPicture], RecordID) {
    var clients = Clients(phone: try await phone.open(), tablet: try await tablet.open())
    try await pullAndStop(clients.phone.manager)
    try await pullAll(clients.tablet)
    try await editBothSides(clients)
    try await failPushes(clients)
    let pictures = try await movePictures(&clients)
    try await cleanGhosts(clients)
    let change: RecordID = "Pacific/Auckland"
    try await edit(clients.phone, change, in: "timezones", "Comment", "first to see the day")
    try await clients.tablet.close()
    return (pictures, change)
  }

  /// Says something to the reader.
  func say(_ text: String) throws { try output.line(text) }

  /// Goes on only if it is so.
  func expect(_ isSo: Bool, _ what: String) throws {
    guard isSo else { throw SyncError("DEMO_FAILED", "not so: \(what)") }
  }

  /// Sets a field of a record on a device.
  func edit(
    _ client: SyncClient,
    _ id: RecordID,
    in collection: String,
    _ field: String,
    _ value: JSON
  ) async throws {
    try await client.store.update(id, in: collection) { $0[field] = value }
  }

  /// A round of a device, which must end well.
  @discardableResult
  func round(_ client: SyncClient) async throws -> SyncReport {
    let report = try await client.sync()
    let problem = report.syncs.compactMap(\.error).first ?? report.attachmentError?.message
    try expect(report.succeeded, "a round ends well (\(problem ?? "records or syncs failed"))")
    return report
  }

  /// A run of one sync, which must be done.
  func run(_ name: String, _ client: SyncClient) async throws -> SyncCounts {
    let state = try await client.manager.reSync(name)
    try expect(state.status == .done, "\(name) is done (\(state.error ?? "\(state.status)"))")
    return state.counts
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
