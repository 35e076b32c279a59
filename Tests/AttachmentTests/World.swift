import OfflineSync
import OfflineSyncTesting

/// A client with a photo field in its contacts, over a simulated disk and a scripted server.
struct World: Sendable {
  let test: TestEnvironment
  let disk: SimulatedFileSystem
  let server: ScriptedTransfer
  let client: SyncClient

  static let column = AttachmentColumn(collection: "contacts", field: "photo")

  var store: Store { client.store }
  var queue: AttachmentQueue { client.attachments }

  init(
    server: ScriptedTransfer = ScriptedTransfer(chunkByteCount: 4),
    test: TestEnvironment = TestEnvironment(),
    disk: SimulatedFileSystem? = nil,
    _ configure: (inout SyncClient.Configuration) -> Void = { _ in }
  ) async throws {
    let disk = disk ?? SimulatedFileSystem(now: test.environment.now)
    var configuration = SyncClient.Configuration(
      owner: "me",
      attachmentColumns: [Self.column],
      transfer: server,
      environment: test.environment
    )
    configuration.attachmentControlTimeout = .zero
    configuration.attachmentBytesTimeout = .zero
    configure(&configuration)
    self.test = test
    self.disk = disk
    self.server = server
    client = try await SyncClient.open(disk, at: "/state", configuration: configuration)
  }

  /// The same directory in a new process, after a close.
  func reopened(
    _ configure: (inout SyncClient.Configuration) -> Void = { _ in }
  ) async throws -> World {
    try await client.close()
    return try await World(server: server, test: test, disk: disk, configure)
  }

  /// What a new process finds when this one is killed now.
  func afterKill(
    _ configure: (inout SyncClient.Configuration) -> Void = { _ in }
  ) async throws -> World {
    try await World(server: server, test: test, disk: disk.afterKill(), configure)
  }

  // MARK: - Records

  /// Lets the server deliver records and deletions.
  func pull(
    _ records: Record...,
    deleted: [RecordID] = [],
    mode: MergeMode = .overwrite,
    in collection: String = "contacts"
  ) async throws {
    let script = TargetScript([.page(SyncPage(records, deletedIDs: deleted))])
    let state = try await client.manager.syncDown(
      target: ScriptedTarget(script),
      collection: collection,
      options: SyncOptions(mergeMode: mode)
    )
    guard state.status == .done else { throw SyncError(.syncTargetFailed, "\(state)") }
  }

  /// Pushes all changes; the server takes each.
  func push() async throws {
    let state = try await client.manager.syncUp(target: TakingTarget(), collection: "contacts")
    guard state.status == .done, state.counts.failed == 0 else {
      throw SyncError(.syncTargetFailed, "\(state)")
    }
  }

  /// A contact that the server has, with bytes attached and their reference pushed.
  func pushedAttachment(
    _ bytes: [UInt8] = picture,
    to id: RecordID = "1"
  ) async throws -> String {
    try await pull(contact(id))
    let reference = try await queue.attach(bytes: bytes, to: field(id), contentType: "image/png")
    try await push()
    return reference
  }

  /// An object that the server has, named by a record that was pulled.
  func pulledAttachment(
    _ reference: String = "me/1/a.png",
    _ bytes: [UInt8] = picture,
    in id: RecordID = "1"
  ) async throws {
    server.put(bytes, at: reference)
    try await pull(contact(id, photo: reference))
  }

  func status(_ reference: String) async throws -> AttachmentStatus? {
    try await queue.getStatus(reference)
  }

  /// The files below the attachments' folder.
  func files() throws -> [String] {
    try ["content", "downloads"].flatMap { name in
      let folder = "/state/attachments/\(name)"
      guard try disk.info(folder) != nil else { return [String]() }
      return try disk.list(folder).map { "\(name)/\($0)" }
    }
  }
}

let picture = Array("a picture!".utf8)
let pictureHash = SHA256.hexDigest(of: picture)

func field(_ id: RecordID) -> AttachmentField {
  AttachmentField(collection: "contacts", record: id, field: "photo")
}

func contact(_ id: RecordID, photo: String? = nil, name: String = "Anna") -> Record {
  var record: Record = ["Id": id.token, "Name": .string(name)]
  record["photo"] = photo.map(JSON.string)
  return record
}

/// An up target that takes every change.
struct TakingTarget: SyncUpTarget {
  func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .created(id: RecordID("s-" + change.id.text))
  }
  func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .updated()
  }
  func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .deleted
  }
}
