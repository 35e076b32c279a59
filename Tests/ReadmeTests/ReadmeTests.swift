import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What stands between these lines stands in the README too.
// README begin
/// Brings contacts from the app's own server, page by page.
struct ContactsTarget: SyncDownTarget {
  var load: @Sendable (_ since: Int64, _ page: Int) async throws -> [UInt8]
  private var since: Int64 = -1
  private var page = 0

  init(load: @escaping @Sendable (_ since: Int64, _ page: Int) async throws -> [UInt8]) {
    self.load = load
  }

  mutating func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage?
  {
    since = maxTimeStamp
    page = 0
    return try await continueFetch(syncManager: syncManager)
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    let answer = try SyncPage(json: try await load(since, page))
    page += 1
    return answer.records.isEmpty && answer.problems.isEmpty ? nil : answer
  }
}

func pull(_ target: ContactsTarget, into client: SyncClient) async throws {
  let sync = try await client.manager.ensureSyncDown(
    target: target,
    collection: "contacts",
    options: SyncOptions(mergeMode: .leaveIfChanged),
    name: "contactsDown"
  )

  try await client.store.update("001", in: "contacts") { $0["Name"] = "Anna" }
  let state = try await sync.run()
  print(state.status, state.counts.stored, "stored", state.counts.skipped, "left alone")

  let people = try await client.store.records(
    in: "contacts",
    matching: .field("Name", hasPrefix: "An"),
    sortedBy: [.ascending("Name")]
  )
  for person in people { print(person.id, person.record.json) }
}
// README end

struct ReadmeTests {
  @Test func `the README's example is this file's`() throws {
    let file = URL(filePath: #filePath)
    let source = try String(contentsOf: file, encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "// README begin"))
    let end = try #require(lines.firstIndex(of: "// README end"))
    let example = lines[(start + 1)..<end].joined(separator: "\n")
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains(example))
  }

  @Test func `the README's example pulls and leaves the edit alone`() async throws {
    let client = try await SyncClient.inMemory()
    try await client.store.create(["Id": "001", "Name": "Ann"], in: "contacts")
    let target = ContactsTarget { since, page in
      page > 0 ? Array("[]".utf8) : Array(#"[{"Id":"002","Name":"Bob","lastModifiedDate":1}]"#.utf8)
    }
    try await pull(target, into: client)
    #expect(try await client.store.record("001", in: "contacts")?.record["Name"] == "Anna")
    #expect(try await client.store.record("002", in: "contacts")?.change == nil)
    try await client.close()
  }
}
