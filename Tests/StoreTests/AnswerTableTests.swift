import OfflineSync
import Testing

/// What each answer to a push makes of each state of a record, in each mode (design section 7).
struct AnswerTableTests {
  /// A state, an answer, and what comes of it: at first, after a send whose own answer was lost, and when
  /// the record was edited meanwhile.
  ///
  /// What comes of it tells id, edit, sends and date of the next one, failure.
  typealias Row = (state: String, answer: String, results: [String])

  /// The answers, each by its name.
  static let answers: [(name: String, outcome: PushOutcome)] = [
    ("taken", .updated()),
    ("created", .created(id: "s")),
    ("deleted", .deleted),
    ("missing", .missing),
    ("other", .conflict()),
    ("busy", .failed(failure(status: 503))),
    ("may pass", .failed(failure(status: 500))),
    ("refused", .failed(failure(status: 400, isRetryable: false))),
    ("skipped", .skipped(reason: "later")),
    ("unknown", .unknown),
  ]

  static func failure(status: Int, isRetryable: Bool = true) -> RecordFailure {
    RecordFailure(code: "TRANSFER", message: "no", isRetryable: isRetryable, httpStatus: status)
  }

  static let updated: [Row] = [
    ("updated L/B open", "taken", always("1 clean L -1@0: sent")),
    ("updated L/B open", "created", always("s clean L~ -1@0: sent as s")),
    ("updated L/B open", "deleted", always("1 created L v9: again")),
    ("updated L/B open", "missing", always("1 created L v9: again")),
    (
      "updated L/B open", "other",
      [
        "1 updated L/B x-unknown v5: conflict",
        "1 updated L/B x-unknown open v5 1@0 NETWORK?: conflict",
        "1 updated L/B x-unknown v6: conflict",
      ]
    ),
    (
      "updated L/B open", "busy",
      [
        "1 updated L/B v5 0@8 TRANSFER: failed", "1 updated L/B open v5 1@8 TRANSFER?: failed",
        "1 updated L/B v6: again",
      ]
    ),
    (
      "updated L/B open", "may pass",
      [
        "1 updated L/B v5 1@8 TRANSFER: failed", "1 updated L/B open v5 1@8 TRANSFER?: failed",
        "1 updated L/B v6: again",
      ]
    ),
    (
      "updated L/B open", "refused",
      [
        "1 updated L/B v5 1@0 TRANSFER parked: failed",
        "1 updated L/B v5 1@0 TRANSFER parked: failed", "1 updated L/B v6: again",
      ]
    ),
    (
      "updated L/B open", "skipped",
      [
        "1 updated L/B v5 0@0 SKIPPED: skipped", "1 updated L/B open v5 1@0 SKIPPED?: skipped",
        "1 updated L/B v6: again",
      ]
    ),
    (
      "updated L/B open", "unknown",
      [
        "1 updated L/B open v5 1@8 NETWORK?: failed", "1 updated L/B open v5 1@8 NETWORK?: failed",
        "1 updated L/B open v6 1@8 NETWORK?: failed",
      ]
    ),
  ]

  static let created: [Row] = [
    ("created L open", "taken", always("1 clean L -1@0: sent")),
    ("created L open", "created", always("s clean L~ -1@0: sent as s")),
    (
      "created L open", "deleted",
      [
        "1 created L v5 1@8 RECORD_NOT_FOUND: failed",
        "1 created L open v5 1@8 RECORD_NOT_FOUND?: failed", "1 created L v6: again",
      ]
    ),
    (
      "created L open", "missing",
      [
        "1 created L v5 1@8 RECORD_NOT_FOUND: failed",
        "1 created L open v5 1@8 RECORD_NOT_FOUND?: failed", "1 created L v6: again",
      ]
    ),
    (
      "created L open", "other",
      [
        "1 created L x-unknown v5: conflict",
        "1 created L x-unknown open v5 1@0 NETWORK?: conflict",
        "1 created L x-unknown v6: conflict",
      ]
    ),
    (
      "created L open", "busy",
      [
        "1 created L v5 0@8 TRANSFER: failed", "1 created L open v5 1@8 TRANSFER?: failed",
        "1 created L v6: again",
      ]
    ),
    (
      "created L open", "may pass",
      [
        "1 created L v5 1@8 TRANSFER: failed", "1 created L open v5 1@8 TRANSFER?: failed",
        "1 created L v6: again",
      ]
    ),
    (
      "created L open", "refused",
      [
        "1 created L v5 1@0 TRANSFER parked: failed", "1 created L v5 1@0 TRANSFER parked: failed",
        "1 created L v6: again",
      ]
    ),
    (
      "created L open", "skipped",
      [
        "1 created L v5 0@0 SKIPPED: skipped", "1 created L open v5 1@0 SKIPPED?: skipped",
        "1 created L v6: again",
      ]
    ),
    (
      "created L open", "unknown",
      [
        "1 created L open v5 1@8 NETWORK?: failed", "1 created L open v5 1@8 NETWORK?: failed",
        "1 created L open v6 1@8 NETWORK?: failed",
      ]
    ),
  ]

  static let deleted: [Row] = [
    (
      "deleted B/B open", "taken",
      [
        "1 deleted B/B v5 1@8 SYNC_TARGET_FAILED: failed",
        "1 deleted B/B open v5 1@8 SYNC_TARGET_FAILED?: failed", "1 deleted B/B v6: again",
      ]
    ),
    (
      "deleted B/B open", "created",
      [
        "1 deleted B/B v5 1@8 SYNC_TARGET_FAILED: failed",
        "1 deleted B/B open v5 1@8 SYNC_TARGET_FAILED?: failed", "1 deleted B/B v6: again",
      ]
    ),
    ("deleted B/B open", "deleted", always("1 gone: sent")),
    ("deleted B/B open", "missing", always("1 gone: sent")),
    (
      "deleted B/B open", "other",
      [
        "1 deleted B/B x-unknown v5: conflict",
        "1 deleted B/B x-unknown open v5 1@0 NETWORK?: conflict",
        "1 deleted B/B x-unknown v6: conflict",
      ]
    ),
    (
      "deleted B/B open", "busy",
      [
        "1 deleted B/B v5 0@8 TRANSFER: failed", "1 deleted B/B open v5 1@8 TRANSFER?: failed",
        "1 deleted B/B v6: again",
      ]
    ),
    (
      "deleted B/B open", "may pass",
      [
        "1 deleted B/B v5 1@8 TRANSFER: failed", "1 deleted B/B open v5 1@8 TRANSFER?: failed",
        "1 deleted B/B v6: again",
      ]
    ),
    (
      "deleted B/B open", "refused",
      [
        "1 deleted B/B v5 1@0 TRANSFER parked: failed",
        "1 deleted B/B v5 1@0 TRANSFER parked: failed", "1 deleted B/B v6: again",
      ]
    ),
    (
      "deleted B/B open", "skipped",
      [
        "1 deleted B/B v5 0@0 SKIPPED: skipped", "1 deleted B/B open v5 1@0 SKIPPED?: skipped",
        "1 deleted B/B v6: again",
      ]
    ),
    (
      "deleted B/B open", "unknown",
      [
        "1 deleted B/B open v5 1@8 NETWORK?: failed", "1 deleted B/B open v5 1@8 NETWORK?: failed",
        "1 deleted B/B open v6 1@8 NETWORK?: failed",
      ]
    ),
  ]

  @Test(arguments: updated + created + deleted)
  func `each answer to each state`(state: String, answer: String, results: [String]) throws {
    let outcome = try #require(Self.answers.first { $0.name == answer }).outcome
    #expect(results.count == 3)
    for (circumstance, expected) in zip(["", "in doubt", "edited"], results) {
      var draft = try DraftTables.draft(state)
      if circumstance == "in doubt" { draft.failure = Self.doubt }
      if circumstance == "edited" { draft.local?.version = 6 }
      let result = draft.settle(outcome, of: "op", rules: DraftTables.push(.overwrite))
      #expect("\(Self.text(draft)): \(Self.text(result))" == expected, "\(circumstance)")
    }
  }

  @Test(arguments: [
    ("updated L/B open", "1 updated L/B x-deleted v5: conflict"),
    ("created L open", "1 created L v5 1@8 RECORD_NOT_FOUND: failed"),
    ("deleted B/B open", "1 gone: sent"), ("updated B'/B open", "1 gone: sent"),
  ])
  func `what the server has lost is not made anew unless the mode is to overwrite`(
    state: String,
    expected: String
  ) throws {
    for mode in [MergeMode.leaveIfChanged, .merge] {
      var draft = try DraftTables.draft(state)
      let result = draft.settle(.missing, of: "op", rules: DraftTables.push(mode))
      #expect("\(Self.text(draft)): \(Self.text(result))" == expected)
    }
  }

  @Test(arguments: answers.map(\.name))
  func `an answer to another operation, or to one that was taken, changes nothing`(
    answer: String
  ) throws {
    let outcome = try #require(Self.answers.first { $0.name == answer }).outcome
    var taken = try DraftTables.draft("updated L/B open")
    taken.operation?.attempts = -1
    var clean = try DraftTables.draft("updated L/B open")
    clean.local = nil
    for (before, id) in [
      (try DraftTables.draft("updated L/B open"), "other"), (taken, "op"), (clean, "op"),
      (try DraftTables.draft("updated L/B"), "op"),
    ] {
      var draft = before
      #expect(draft.settle(outcome, of: id, rules: DraftTables.push(.overwrite)) == .stale)
      #expect(draft == before)
      draft.lose(Self.doubt.failure, of: id, rules: DraftTables.push(.overwrite))
      #expect(draft == before)
    }
  }

  /// A failure, the sends so far, and whether the change is parked.
  @Test(arguments: [
    (500, true, 2, false), (500, true, 3, true), (500, true, 4, true), (400, false, 1, true),
    (503, true, 3, false), (401, true, 5, false), (429, false, 3, false),
  ])
  func `a change is parked by its last attempt, or by what no retry can change`(
    status: Int,
    isRetryable: Bool,
    attempts: Int,
    isParked: Bool
  ) throws {
    var draft = try DraftTables.draft("updated L/B open")
    draft.operation?.attempts = attempts
    let failure = Self.failure(status: status, isRetryable: isRetryable)
    #expect(
      draft.settle(.failed(failure), of: "op", rules: DraftTables.push(.overwrite)) == .failed
    )
    #expect(draft.failure?.isParked == isParked)
    #expect((draft.operation?.notBefore == 0) == isParked)
    #expect(draft.failure?.failure.isRetryable == (isRetryable || status == 429))
    var lost = try DraftTables.draft("updated L/B open")
    lost.operation?.attempts = attempts
    lost.lose(failure, of: "op", rules: DraftTables.push(.overwrite))
    #expect(lost.failure?.isParked == (status == 500 && attempts >= 3))
    #expect(lost.failure?.isOutcomeUnknown == true)
  }

  static let doubt = RecordDraft.PushFailure(
    failure: RecordFailure(code: "NETWORK", message: "", isRetryable: true),
    isParked: false,
    isOutcomeUnknown: true
  )

  private static func always(_ result: String) -> [String] { [result, result, result] }

  private static func text(_ result: RecordDraft.PushResult) -> String {
    switch result {
    case .sent(let newID, true): newID.map { "sent as \($0)" } ?? "sent"
    case .sent(_, false): "sent in part"
    case .conflict(let isNew): isNew ? "conflict" : "known conflict"
    case .failed: "failed"
    case .skipped: "skipped"
    case .again: "again"
    case .stale: "stale"
    }
  }

  private static func text(_ draft: RecordDraft) -> String {
    var text = "\(draft.id) \(DraftTables.text(draft))"
    if let edit = draft.local { text += " v\(edit.version)" }
    if let operation = draft.operation { text += " \(operation.attempts)@\(operation.notBefore)" }
    if let failure = draft.failure {
      text +=
        " \(failure.failure.code)\(failure.isParked ? " parked" : "")\(failure.isOutcomeUnknown ? "?" : "")"
    }
    return text
  }
}
