import OfflineSync
import Testing

/// What an answer leaves of a change that was edited meanwhile, and of one that nobody answered for.
struct AnswerTests {
  private let rules = DraftTables.push()

  @Test func `an acknowledgement of a record that was deleted meanwhile moves its base`() throws {
    var draft = try DraftTables.draft("updated L/B open")
    draft.local = RecordDraft.LocalEdit(kind: .deleted, body: nil, version: 6)
    let result = draft.settle(.updated(), of: "op", rules: rules)
    #expect(result == .sent(newID: nil, isFinished: false))
    #expect(draft.server?["a"] == 1 && draft.local?.kind == .deleted)
  }

  @Test(arguments: ["updated L/B open", "updated L/B x-R open"])
  func `a deletion that was taken back meanwhile leaves a record to create`(state: String) throws {
    var draft = try DraftTables.draft(state)
    draft.operation?.sent = nil
    let result = draft.settle(.deleted, of: "op", rules: rules)
    #expect(result == .sent(newID: nil, isFinished: false))
    #expect(DraftTables.text(draft) == "created L" && draft.failure == nil)
  }

  @Test func `a send without an answer is of unknown outcome`() throws {
    var draft = try DraftTables.draft("updated L/B open")
    #expect(draft.settle(.unknown, of: "op", rules: rules) == .failed)
    #expect(draft.failure?.isOutcomeUnknown == true && draft.isOperationOpen)
  }

  @Test(arguments: [(false, 0), (true, 1)])
  func `a change that was not sent spends no attempt, but a send in doubt stays one`(
    isInDoubt: Bool,
    attempts: Int
  ) throws {
    var draft = try DraftTables.draft("updated L/B open")
    if isInDoubt {
      draft.lose(
        RecordFailure(code: "NETWORK", message: "", isRetryable: true),
        of: "op",
        rules: rules
      )
    }
    #expect(draft.settle(.skipped(reason: "x"), of: "op", rules: rules) == .skipped)
    #expect(draft.operation?.attempts == attempts)
  }

  @Test(arguments: [(5, 9), (6, 6)])
  func `what a send left out is an edit of its own`(version: Int64, left: Int64) throws {
    var draft = try DraftTables.draft("updated LO/B open")
    draft.operation?.sent = ["Id": "1", "a": 1]
    draft.local?.version = version
    _ = draft.settle(.updated(), of: "op", rules: rules)
    #expect(draft.server?["a"] == 1)
    #expect(draft.local?.body?["b"] == 5 && draft.local?.version == left)
  }

  @Test(arguments: [true, false])
  func `a create that has not arrived goes out again, unless another one was sent since`(
    isSame: Bool
  ) async throws {
    let store = try await StoreWorld().open()
    try await store.define("down")
    _ = try await store.create(record(#"{"Id":"A"}"#), in: "contacts")
    _ = try await store.beginPush(["A"], in: "contacts", omitting: [:], rules: StoreScript.upRules)
    let operation = try #require(try await store.changes(in: "contacts").first?.operationID)
    let answer = PushAnswer(
      id: "A",
      operationID: isSame ? operation : "other",
      result: .probed(.missing)
    )
    let settlement = try await store.settlePush([answer], of: 1, rules: StoreScript.upRules) {
      _,
      _ in
    }
    #expect(settlement.results == [isSame ? .again : .stale])
    #expect(try await store.record("A", in: "contacts")?.change == .created)
    try await store.close()
  }
}
