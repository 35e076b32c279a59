import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct FolderUpdateTests {
  @Test func `an update writes the changed fields into the file as it is now`() async throws {
    let pushes = try await FolderPushes()
    let base = try Record(json: #"{"Id":"a","n":1,"Gone":1,"Empty":2,"lastModifiedDate":5}"#)
    try pushes.folder.put(
      #"{"Id":"a", "by\u0020hand": 1e3, "n": 1, "Gone": 1, "Empty": 2, "lastModifiedDate": 5}"#,
      at: "a.json"
    )
    let edited = try Record(json: #"{"Id":"a","n":2,"Empty":null,"New":1.0}"#)
    let outcome = try await pushes.send(.update(from: base, to: edited), .overwrite)
    let text =
      #"{"Id":"a","by\u0020hand":1e3,"n":2,"Empty":null,"lastModifiedDate":1764460800000,"New":1.0}"#
    // What others wrote comes by the next pull, not as if we had sent it.
    #expect(outcome == .updated())
    #expect(try pushes.folder.text(at: "a.json") == text + "\n")
    #expect(try pushes.folder.names() == [".deleted", "a.json"])
  }

  @Test(
    arguments: [
      (#""2025-03-22T16:26:53.152Z""#, #""2025-11-30T00:00:00.000Z""#),
      (#""2025-03-22""#, #""2025-11-30T00:00:00.000Z""#),
      (#""2025-11-30T00:00:00Z""#, #""2025-11-30T00:00:00.001Z""#),
      (#""2025-11-30T02:00:00.5+01:00""#, #""2025-11-30T01:00:00.501Z""#),
      ("5", "1764460800000"), ("1764460800000", "1764460800001"),
      ("1764460899999", "1764460900000"), ("1.7e12", "1764460800000"),
      (#""soon""#, #""2025-11-30T00:00:00.000Z""#), ("null", #""2025-11-30T00:00:00.000Z""#),
      (#""9999-12-31T23:59:59.999Z""#, #""9999-12-31T23:59:59.999Z""#),
    ]
  )
  func `the date is later than now and the file's own, in the file's form`(
    old: String,
    new: String
  ) async throws {
    let pushes = try await FolderPushes()
    let base = try Record(json: #"{"Id":"a","n":1,"lastModifiedDate":\#(old)}"#)
    try pushes.folder.put(base.json, at: "a.json")
    _ = try await pushes.send(.update(from: base, to: ["Id": "a", "n": 2]))
    #expect(
      try pushes.folder.text(at: "a.json") == #"{"Id":"a","n":2,"lastModifiedDate":\#(new)}"# + "\n"
    )
  }

  @Test func `a file without a date gets one`() async throws {
    let pushes = try await FolderPushes()
    try pushes.folder.put(#"{"Id":7,"n":1}"#, at: "7.json")
    let base = try Record(json: #"{"Id":7,"n":1}"#)
    _ = try await pushes.send(.update(from: base, to: ["n": 2]))
    #expect(
      try pushes.folder.text(at: "7.json")
        == #"{"Id":7,"n":2,"lastModifiedDate":"2025-11-30T00:00:00.000Z"}"# + "\n"
    )
  }

  @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
  func `an update that arrived already writes nothing`(mode: MergeMode) async throws {
    let disk = SimulatedFileSystem()
    let pushes = try await FolderPushes(TestFolder(disk))
    let base = try Record(json: #"{"Id":"a","n":1,"Gone":1,"lastModifiedDate":5}"#)
    let present = try Record(json: #"{"Id":"a","n":2,"lastModifiedDate":9}"#)
    try pushes.folder.put(present.json, at: "a.json")
    let change = LocalChange.update(from: base, to: ["n": 2])
    var count = disk.operationCount
    #expect(try await pushes.send(change, mode) == .updated(record: present))
    #expect(try await pushes.probe(change) == .updated(record: present))
    #expect(
      disk.operations.dropFirst(count).allSatisfy { !$0.isChange || $0.name == "syncDirectory" }
    )
    // Somebody has edited another field since.
    try pushes.folder.put(#"{"Id":"a","n":2,"lastModifiedDate":9,"other":1}"#, at: "a.json")
    count = disk.operationCount
    #expect(try await pushes.send(change, mode) == .updated())
    #expect(try await pushes.probe(change) == .updated())
    #expect(
      disk.operations.dropFirst(count).allSatisfy { !$0.isChange || $0.name == "syncDirectory" }
    )
  }

  /// What somebody wrote, in which mode, and whether it stands in the way.
  @Test(
    arguments: [
      (#"{"Id":"a","n":1,"m":1,"lastModifiedDate":7}"#, .leaveIfChanged, false),
      (#"{"m":1,"lastModifiedDate":5,"n":1,"Id":"a"}"#, .leaveIfChanged, false),
      (#"{"Id":"a","n":1,"m":2,"lastModifiedDate":5}"#, .leaveIfChanged, true),
      (#"{"Id":"a","n":1,"m":1,"x":1,"lastModifiedDate":5}"#, .leaveIfChanged, true),
      (#"{"Id":"a","n":3,"m":1,"lastModifiedDate":5}"#, .leaveIfChanged, true),
      (#"{"Id":"a","n":1,"m":2,"x":1,"lastModifiedDate":5}"#, .merge, false),
      (#"{"Id":"a","n":1,"lastModifiedDate":5}"#, .merge, false),
      (#"{"Id":"a","n":3,"m":1,"lastModifiedDate":5}"#, .merge, true),
      (#"{"Id":"a","m":1,"lastModifiedDate":5}"#, .merge, true),
      (#"{"Id":"a","n":3,"m":2,"lastModifiedDate":5}"#, .overwrite, false),
      (#"{"Id":"a","m":2,"lastModifiedDate":5}"#, .overwrite, false),
    ] as [(String, MergeMode, Bool)]
  )
  func `a hand edit just before the write is a conflict where the mode says so`(
    text: String,
    mode: MergeMode,
    isConflict: Bool
  ) async throws {
    let pushes = try await FolderPushes()
    let base = try Record(json: #"{"Id":"a","n":1,"m":1,"lastModifiedDate":5}"#)
    let present = try Record(json: text)
    try pushes.folder.put(text, at: "a.json")
    let outcome = try await pushes.send(.update(from: base, to: ["n": 2, "m": 1]), mode)
    if isConflict {
      #expect(outcome == .conflict(remote: present))
      #expect(try pushes.folder.text(at: "a.json") == text)
    } else {
      var wanted = present
      wanted["n"] = 2
      wanted["lastModifiedDate"] = .int64(FolderPushes.now)
      let isOurs = present.isEqual(to: base, except: ["lastModifiedDate"])
      #expect(outcome == .updated(record: isOurs ? wanted : nil))
      #expect(try pushes.folder.text(at: "a.json") == wanted.json + "\n")
    }
  }

  @Test func `what two sides removed or set alike is no conflict`() async throws {
    let pushes = try await FolderPushes()
    let base = try Record(json: #"{"Id":"a","n":1,"m":1,"k":1,"lastModifiedDate":5}"#)
    try pushes.folder.put(#"{"Id":"a","n":2,"k":1,"lastModifiedDate":5}"#, at: "a.json")
    let outcome = try await pushes.send(.update(from: base, to: ["n": 2, "k": 2]), .merge)
    #expect(outcome.updated != nil)
    #expect(
      try pushes.folder.text(at: "a.json")
        == #"{"Id":"a","n":2,"k":2,"lastModifiedDate":1764460800000}"# + "\n"
    )
  }

  @Test func `a record that is gone or deleted is missing`() async throws {
    let pushes = try await FolderPushes()
    let change = LocalChange.update(from: record("a", date: 5), to: record("a", date: 5, "new"))
    #expect(try await pushes.send(change) == .missing)
    #expect(try await pushes.probe(change) == nil)
    try pushes.folder.put("a", date: 5)
    try pushes.folder.bury("a", date: 6)
    #expect(try await pushes.send(change) == .missing)
    #expect(try await pushes.probe(change) == nil)
    #expect(try await pushes.versions(of: ["a", "b"]) == ["a": .deleted, "b": .deleted])
  }

  @Test(
    arguments: [
      (#"{"Id":"a","lastModifiedDate":5}"#, #"{"Id":"a","lastModifiedDate":5}"#),
      (#"{"Id":"a","lastModifiedDate":5}"#, #"{"Id":"a"}"#),
      (#"{"Id":"a","lastModifiedDate":5}"#, "{"),
      (#"{"Id":"a"}"#, #"{"Id":"a","lastModifiedDate":5}"#),
    ]
  )
  func `a tombstone that is not later says nothing`(file: String, tombstone: String)
    async throws
  {
    let pushes = try await FolderPushes()
    try pushes.folder.put(file, at: "a.json")
    try pushes.folder.put(tombstone, at: ".deleted/a.json")
    let base = try Record(json: file)
    #expect(try await pushes.versions(of: ["a"]) == ["a": .record(base)])
    #expect(try pushes.folder.collection().present(among: ["a"]) == ["a"])
    let outcome = try await pushes.send(.update(from: base, to: ["n": 1]))
    #expect(outcome.updated?["n"] == 1)
  }

  @Test func `a file that cannot be used is the record's failure`() async throws {
    let pushes = try await FolderPushes()
    try pushes.folder.put("{", at: "a.json")
    try pushes.folder.files.makeDirectory(pushes.folder.places + "/b.json")
    for (id, code, isRetryable) in [
      ("a", "RECORD_MALFORMED", true), ("b", "SYNC_TARGET_FAILED", true),
    ] {
      let base = record(RecordID(id), date: 5)
      for change in [.update(from: base, to: ["Id": .string(id)]), .delete(base)] as [LocalChange] {
        let outcome = try await pushes.send(change, .overwrite)
        let failure = try #require(outcome.failure)
        #expect((failure.code, failure.isRetryable) == (code, isRetryable))
        // A file is written to its end sooner or later; a directory stays one.
        #expect(failure.spendsAttempt == (id == "b"))
        #expect(try await pushes.versions(of: [RecordID(id)]) == [RecordID(id): .failed(failure)])
        #expect(try await pushes.probe(change) == nil)
      }
    }
    #expect(try pushes.folder.text(at: "a.json") == "{")
  }

  @Test(arguments: ["caf\u{E9}.json", "c%61f%c3%a9.json"])
  func `a file under another encoding of its name is written and deleted where it lies`(
    name: String
  ) async throws {
    let pushes = try await FolderPushes()
    let base = record("caf\u{E9}", date: 5)
    try pushes.folder.put(base.json, at: name)
    #expect(try await pushes.versions(of: ["caf\u{E9}"]) == ["caf\u{E9}": .record(base)])
    let change = LocalChange.update(from: base, to: record("caf\u{E9}", date: 5, "new"))
    let outcome = try await pushes.send(change)
    let updated = try #require(outcome.updated)
    #expect(try await pushes.probe(change) == outcome)
    #expect(try pushes.folder.text(at: name) == updated.json + "\n")
    #expect(try pushes.folder.names() == [".deleted", name])
    #expect(try await pushes.send(.delete(updated)) == .deleted)
    #expect(try pushes.folder.names() == [".deleted"])
    #expect(try pushes.folder.names(in: "/.deleted") == ["caf%C3%A9.json"])
  }

  @Test func `a record whose written name is too long can be updated, and not be deleted`()
    async throws
  {
    let pushes = try await FolderPushes()
    let id = String(repeating: "X", count: 100)
    let base = record(RecordID(id), date: 5)
    try pushes.folder.put(base.json, at: id + ".json")
    #expect(try await pushes.versions(of: [RecordID(id)]) == [RecordID(id): .record(base)])
    let outcome = try await pushes.send(.update(from: base, to: record(RecordID(id), date: 5, "x")))
    let updated = try #require(outcome.updated)
    let refusal = try await pushes.send(.delete(updated))
    let failure = try #require(refusal.failure)
    #expect(failure.code == "RECORD_MALFORMED")
    #expect(try pushes.folder.text(at: id + ".json") == updated.json + "\n")
  }
}
