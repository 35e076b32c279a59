import OfflineSync
import Testing

/// How the push of a change begins, begins again, and ends without having changed anything.
struct BeginPushTests {
  private func draft(_ state: String, attempts: Int = 2, isInDoubt: Bool = false) throws
    -> RecordDraft
  {
    var draft = try DraftTables.draft(state)
    draft.operation?.attempts = attempts
    draft.operation?.notBefore = 900
    if draft.operation != nil {
      draft.failure = RecordDraft.PushFailure(
        failure: RecordFailure(code: "BUSY", message: "no", isRetryable: true),
        isParked: true,
        isOutcomeUnknown: isInDoubt
      )
    }
    return draft
  }

  @Test func `a first send gets an id of its own`() throws {
    var draft = try draft("updated L/B")
    draft.beginPush(sending: ["a": 1]) { "new" }
    #expect(
      draft.operation
        == RecordDraft.PendingOperation(
          id: "new",
          version: 5,
          attempts: 1,
          notBefore: 0,
          sent: ["a": 1]
        )
    )
    #expect(draft.failure == nil && draft.isOperationOpen)
  }

  @Test func `a clean record is not sent`() throws {
    var draft = try draft("clean B")
    let before = draft
    draft.beginPush(sending: ["a": 1]) { "new" }
    #expect(draft == before)
  }

  @Test(arguments: [true, false])
  func `a send in doubt goes out as it was, and stays in doubt`(isTold: Bool) throws {
    var draft = try draft("updated L/B open", isInDoubt: true)
    if !isTold { draft.failure = nil }
    let before = draft
    draft.local?.version = 6
    draft.beginPush(sending: ["a": 7]) { "new" }
    var expected = before.operation
    expected?.attempts = 3
    expected?.notBefore = 0
    #expect(draft.operation == expected)
    #expect(draft.failure?.failure.code == (isTold ? "BUSY" : "NETWORK"))
    #expect(draft.failure?.failure.isRetryable == true)
    #expect(draft.failure?.isParked == false && draft.failure?.isOutcomeUnknown == true)
  }

  /// Whether it is another edit, or another body; and the id and the number of its sends.
  @Test(arguments: [
    (false, false, "op", 3), (false, true, "new", 3), (true, false, "new", 1),
    (true, true, "new", 1),
  ])
  func `a refused send keeps its id while what it sends is the same`(
    isOtherEdit: Bool,
    isOtherBody: Bool,
    id: String,
    attempts: Int
  ) throws {
    var draft = try draft("updated L/B open")
    let sent: Record? = isOtherBody ? ["a": 7] : draft.operation?.sent
    if isOtherEdit { draft.local?.version = 6 }
    draft.beginPush(sending: sent) { "new" }
    #expect(
      draft.operation
        == RecordDraft.PendingOperation(
          id: id,
          version: isOtherEdit ? 6 : 5,
          attempts: attempts,
          notBefore: 0,
          sent: sent
        )
    )
    #expect(draft.failure == nil)
  }

  @Test func `a send after one that was taken is a first one`() throws {
    var draft = try draft("updated L/B open", attempts: -1)
    draft.failure = nil
    let sent = draft.operation?.sent
    draft.beginPush(sending: sent) { "new" }
    #expect(draft.operation?.id == "new" && draft.operation?.attempts == 1)
  }

  @Test(arguments: [
    ("updated B'/B open", "clean B"), ("updated L/B open", "updated L/B"),
    ("created L open", "created L"), ("deleted B/B open", "deleted B/B"),
    ("deleted L open", "gone"), ("updated B'/B x-R open", "updated B'/B x-R"),
    ("deleted L x-R open", "deleted L x-R"),
  ])
  func `an operation that changed nothing ends, and with it a change that says nothing`(
    state: String,
    expected: String
  ) throws {
    for isInDoubt in [true, false] {
      var draft = try draft(state, isInDoubt: isInDoubt)
      if state.hasPrefix("deleted L") {
        draft.local?.body = try DraftTables.body("L")
      }
      draft.endOperationWithoutChange(rules: DraftTables.rules)
      #expect(DraftTables.text(draft) == expected)
      #expect(draft.operation == nil && draft.failure == nil)
    }
  }

  @Test(arguments: [
    ("updated L/B x-R", "updated L~/R"), ("updated LO/B x-O", "updated LO/O"),
    ("updated O/B x-O", "clean O"), ("created L x-R", "updated L/R"),
    ("updated L/B", "updated L/B"), ("clean B", "clean B"),
    ("updated L/B x-deleted", "updated L/B x-deleted"),
    ("updated L/B x-unknown", "updated L/B x-unknown"),
    ("updated L/B x-R open", "updated L/B x-R open"),
  ])
  func `an overwriting push lets the local side of a known conflict stand`(
    state: String,
    expected: String
  ) throws {
    var draft = try DraftTables.draft(state)
    draft.settleConflictAsLocal(rules: DraftTables.rules)
    #expect(DraftTables.text(draft) == expected)
  }
}
