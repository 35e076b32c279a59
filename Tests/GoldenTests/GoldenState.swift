import OfflineSync
import OfflineSyncTesting

/// The store of `Fixtures/state-v1`, made anew: every kind of line, and nothing left to chance.
struct GoldenState {
  static let path = "/state"
  let world = TestEnvironment(seed: 1)
  let files: any FileSystem

  /// Makes the store in a file system.
  func make() async throws {
    let client = try await SyncClient.open(
      files,
      at: Self.path,
      configuration: Self.configuration(world.environment)
    )
    try await pull(client)
    try await edit(client.store)
    try await push(client)
    try await pullOverEdits(client)
    try await client.attachments.attach(
      bytes: Array("picture".utf8),
      to: AttachmentField(collection: "contacts", record: "clean", field: "photo"),
      contentType: "image/png"
    )
    try await client.manager.createSyncDown(
      target: GoldenFeed("deleted"),
      collection: "notes",
      name: "deleted"
    )
    try await client.manager.deleteSync("deleted")
    try await client.close()
  }

  /// How the store is opened.
  static func configuration(
    _ environment: SyncClient.Environment,
    _ access: SyncClient.Access = .readWrite
  ) -> SyncClient.Configuration {
    SyncClient.Configuration(
      owner: "me",
      attachmentColumns: [AttachmentColumn(collection: "contacts", field: "photo")],
      access: access,
      environment: environment
    )
  }

  private func pull(_ client: SyncClient) async throws {
    let number = #"{"Id":40000000000000000001,"n":1e3,"z":-0,"text":"é\u0001\ud83d\ude00\/"}"#
    let first = SyncPage([
      try Record(json: number),
      ["Id": "clean", "Name": "Ann", "lastModifiedDate": "2024-05-06"],
      ["Id": "echo", "Name": "E", "lastModifiedDate": "2024-05-06"],
      ["Id": "refused", "Name": "R", "lastModifiedDate": "2024-05-06"],
      ["Id": "lost", "Name": "L", "lastModifiedDate": "2024-05-06"],
    ])
    var second = SyncPage(
      [
        ["Id": "moved", "Name": "M", "lastModifiedDate": "2024-05-06"],
        ["Id": "met", "Name": "both", "lastModifiedDate": 1_715_000_000_000],
        ["Id": "dropped", "Name": "D", "lastModifiedDate": "2024-05-06"],
        ["Id": "gone", "Name": "G"],
        ["Id": "displaced", "Name": "server"],
        ["NoId": true],
      ],
      related: ["notes": [["Id": "n1", "Contact": "clean"]]]
    )
    second.problems = [
      RecordProblem(
        name: "x.json",
        failure: RecordFailure(code: "RECORD_MALFORMED", message: "cut"),
        bytes: Array(#"{"Id":"x","#.utf8)
      )
    ]
    let options = SyncOptions(
      mergeMode: .leaveIfChanged,
      fieldlist: ["Name", "answer"],
      references: ["Boss": "contacts"],
      overlap: .seconds(5)
    )
    try await client.manager.syncDown(
      target: GoldenFeed("down", [first, second]),
      collection: "contacts",
      options: options,
      name: "contactsDown"
    )
    try await client.manager.syncDown(
      target: GoldenFeed("owner", [SyncPage([first.records[1]], deletedIDs: ["gone"])]),
      collection: "contacts"
    )
    try await client.manager.syncDown(
      target: GoldenFeed(
        "failing",
        error: SyncError(.network, "no route", retryAfter: .seconds(9))
      ),
      collection: "notes",
      name: "failing"
    )
  }

  private func edit(_ store: Store) async throws {
    try await store.create(["Name": "new here", "answer": "id"], in: "contacts")
    try await store.create(["Name": "waits", "Boss": "local_nobody"], in: "contacts")
    for (id, answer) in [("echo", "echo"), ("refused", "refuse"), ("lost", "lose")] {
      try await store.update(RecordID(id), in: "contacts") {
        $0["Name"] = "edited"
        $0["answer"] = .string(answer)
      }
    }
    try await store.update("moved", in: "contacts") { $0["Name"] = "moved here too" }
    try await store.delete("dropped", in: "contacts")
  }

  private func push(_ client: SyncClient) async throws {
    try await client.manager.syncUp(
      target: GoldenServer(),
      collection: "contacts",
      options: SyncOptions(mergeMode: .leaveIfChanged, maxAttempts: 3),
      name: "contactsUp"
    )
    try await client.store.update("echo", in: "contacts") { $0["Name"] = "edited again" }
  }

  private func pullOverEdits(_ client: SyncClient) async throws {
    for id in ["met", "displaced", "n1"] {
      let collection = id == "n1" ? "notes" : "contacts"
      try await client.store.update(RecordID(id), in: collection) { $0["Name"] = "mine" }
    }
    try await client.manager.syncDown(
      target: GoldenFeed("meeting", [SyncPage([["Id": "met", "Name": "theirs"]])]),
      collection: "contacts",
      options: SyncOptions(mergeMode: .leaveIfChanged)
    )
    try await client.manager.syncDown(
      target: GoldenFeed("notes", [SyncPage([], deletedIDs: ["n1"])]),
      collection: "notes",
      options: SyncOptions(mergeMode: .merge)
    )
    try await client.manager.syncDown(
      target: GoldenFeed("over", [SyncPage([["Id": "displaced", "Name": "server again"]])]),
      collection: "contacts"
    )
  }
}
