import OfflineSync
import Testing

/// Corners of what answers and copies leave behind.
struct AnswerDetailTests {
  private let refusal = RecordFailure(code: "NO", message: "no", isRetryable: false)

  @Test func `an edit made since the send that says what the server has is no change`() throws {
    var draft = try DraftTables.draft("updated L/B open")
    let copy = try DraftTables.body("N")
    draft.local = RecordDraft.LocalEdit(kind: .updated, body: copy, version: 6)
    let result = draft.settle(.updated(record: copy), of: "op", rules: DraftTables.push())
    #expect(result == .sent(newID: nil, isFinished: true))
    #expect(DraftTables.text(draft) == "clean N")
  }

  @Test func `the id is written as the server writes it`() throws {
    var draft = try DraftTables.draft("created L open")
    let copy: Record = ["Id": 1, "lastModifiedDate": 1, "a": 1, "b": 0]
    _ = draft.settle(.created(id: "1", record: copy), of: "op", rules: DraftTables.push())
    #expect(draft.id.isNumber && draft.server == copy && draft.local == nil)
  }

  @Test func `a reverted change that the server would not have taken is none any more`() throws {
    var draft = try DraftTables.draft("updated B/B open")
    #expect(draft.settle(.conflict(remote: nil), of: "op", rules: DraftTables.push()) == .skipped)
    #expect(DraftTables.text(draft) == "clean B")
  }

  @Test func `a conflict that is open already is no new one`() throws {
    var draft = try DraftTables.draft("updated L/B x-R open")
    let result = draft.settle(.conflict(remote: nil), of: "op", rules: DraftTables.push())
    #expect(result == .conflict(isNew: false))
    #expect(DraftTables.text(draft) == "updated L/B x-R")
  }

  @Test func `what is created anew is in no conflict with what is gone`() throws {
    var draft = try DraftTables.draft("updated L/B x-R open")
    #expect(draft.settle(.missing, of: "op", rules: DraftTables.push()) == .again)
    #expect(DraftTables.text(draft) == "created L")
  }

  @Test(arguments: [
    ("updated N/B", Int64.max, RecordDraft.PushResult.again), ("updated N/B", 6, .again),
    ("updated N/B", 5, .failed), ("updated N/B x-R", .max, .failed),
  ])
  func `after a refusal an edit made since goes out in the same run, if it is due and free`(
    state: String,
    newest: Int64,
    expected: RecordDraft.PushResult
  ) throws {
    var draft = try DraftTables.draft("\(state) open")
    draft.local?.version = 6
    let result = draft.settle(
      .failed(refusal),
      of: "op",
      rules: DraftTables.push(newestVersion: newest)
    )
    #expect(result == expected)
    #expect(DraftTables.text(draft) == state)
  }

  @Test func `what was skipped comes again, and is no echo`() throws {
    var draft = try DraftTables.draft("updated L/B open")
    _ = draft.settle(.skipped(reason: "later"), of: "op", rules: DraftTables.push())
    #expect(draft.failure?.failure.isRetryable == true)
    #expect(draft.operation?.attempts == 0 && draft.operation?.awaitsEcho == false)
  }

  @Test func `an acknowledged operation waits for nothing but its echo`() throws {
    var draft = try DraftTables.draft("updated L/B open")
    draft.operation?.notBefore = 8
    _ = draft.settle(.updated(), of: "op", rules: DraftTables.push())
    #expect(draft.operation?.awaitsEcho == true && draft.operation?.notBefore == 0)
    let pulled = draft.pull(
      try DraftTables.body("R"),
      isReread: false,
      rules: DraftTables.push().pull
    )
    #expect(pulled == .stored && draft.operation == nil)
  }

  @Test func `a copy like the edit, while an elder send is in doubt, becomes its base`() throws {
    var draft = try DraftTables.draft("updated L/B x-R open")
    draft.operation?.sent = try DraftTables.body("S")
    let outcome = draft.pull(
      try DraftTables.body("L"),
      isReread: false,
      rules: DraftTables.push().pull
    )
    #expect(outcome == .leftAlone(newConflict: false))
    #expect(DraftTables.text(draft) == "updated L/L open")
  }

  @Test(arguments: [MergeMode.leaveIfChanged, .merge])
  func `an echo with what contradicts a later edit asks the resolver in mode merge alone`(
    _ mode: MergeMode
  ) throws {
    let copy: Record = ["Id": "1", "lastModifiedDate": 8, "a": 1, "b": 7]
    for way in ["pulled", "met"] {
      var draft = try DraftTables.draft("updated L/B open")
      draft.operation?.sent = ["a": 1]
      draft.local?.body = try DraftTables.body("LO")
      draft.local?.version = 6
      var asked = 0
      let rules = DraftTables.push(mode) { _ in
        asked += 1
        return .remote
      }
      if way == "pulled" {
        _ = draft.pull(copy, isReread: false, rules: rules.pull)
      } else {
        let result = draft.meet(.record(copy), versionField: "none", rules: rules)
        let finished = RecordDraft.PushResult.sent(newID: nil, isFinished: true)
        #expect(result == (mode == .merge ? finished : .conflict(isNew: true)))
      }
      #expect(asked == (mode == .merge ? 1 : 0), "\(way)")
      #expect((draft.conflict == nil) == (mode == .merge), "\(way)")
      #expect((draft.local == nil) == (mode == .merge), "\(way)")
    }
  }

  @Test func `what a decision leaves to send goes out under an operation of its own`() throws {
    var draft = try DraftTables.draft("updated L/B x-unknown open")
    draft.failure = RecordDraft.PushFailure(
      failure: refusal,
      isParked: true,
      isOutcomeUnknown: false
    )
    draft.settle(.local, version: 9, rules: DraftTables.rules)
    #expect(draft.operation == nil && draft.failure == nil && draft.local?.version == 9)
  }

  @Test func `id and date are no fields of a conflict, and whole bodies are the rule`() throws {
    let draft = try DraftTables.draft("updated L/B x-R")
    #expect(draft.conflict(in: "contacts", rules: DraftTables.rules)?.fields == ["a"])
    #expect(!DraftTables.push().fields.isPartial)
  }
}
