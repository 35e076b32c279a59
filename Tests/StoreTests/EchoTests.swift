import OfflineSync
import Testing

/// What a copy makes of a record whose change is on its way, above all the copy that holds what was sent.
struct EchoTests {
  /// The bodies: B is the base, L was sent, and these are edits made since.
  static let edits: [(name: String, body: Record)] = [
    ("N", ["Id": "1", "lastModifiedDate": 1, "a": 9, "b": 0]),
    ("M", ["Id": "1", "lastModifiedDate": 1, "a": 1, "b": 7]),
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    /// The edit that stands: L itself, one made since, or `deleted`.
    let edit: String
    var conflict: String?
    let copy: String
    /// In the order of `MergeMode`'s modes: overwrite, leaveIfChanged, merge.
    let results: [String]
    var testDescription: String { "\(copy) over \(edit) \(conflict ?? "")" }
  }

  static let cases: [Case] = [
    Case(edit: "L", copy: "L", results: all("clean L, stored")),
    Case(edit: "L", copy: "LO", results: all("clean LO, stored")),
    Case(edit: "L", conflict: "x-R", copy: "L", results: all("clean L, stored")),
    Case(
      edit: "L",
      copy: "B",
      results: ["clean B, displaced(L)"] + others("updated L/B open, leftAlone(false)")
    ),
    Case(
      edit: "L",
      copy: "R",
      results: ["clean R, displaced(L)"] + others("updated L/B x-R open, leftAlone(true)")
    ),
    Case(
      edit: "L",
      copy: "O",
      results: [
        "clean O, displaced(L)", "updated L/B x-O open, leftAlone(true)", "updated LO/O, stored",
      ]
    ),
    Case(edit: "N", copy: "L", results: all("updated a9 b0/L, leftAlone(false)")),
    Case(edit: "N", copy: "LO", results: all("updated a9 b5/LO, leftAlone(false)")),
    Case(
      edit: "M",
      copy: "LO",
      results: ["updated a1 b7/LO, leftAlone(false)"]
        + others("updated a1 b7/L x-LO, leftAlone(true)")
    ),
    Case(
      edit: "M",
      conflict: "x-R",
      copy: "LO",
      results: ["updated a1 b7/LO, leftAlone(false)"]
        + others("updated a1 b7/L x-LO, leftAlone(false)")
    ),
    // The edit since says what the copy says: nothing is left of it.
    Case(edit: "LO", copy: "LO", results: all("clean LO, stored")),
    Case(edit: "deleted", copy: "L", results: all("deleted L/L, leftAlone(false)")),
    Case(
      edit: "deleted",
      copy: "LO",
      results: ["deleted LO/LO, leftAlone(false)"] + others("deleted L/L x-LO, leftAlone(true)")
    ),
  ]

  @Test(arguments: cases, [true, false])
  func `each copy of a record that was sent`(example: Case, isInDoubt: Bool) throws {
    for (mode, expected) in zip(
      [MergeMode.overwrite, .leaveIfChanged, .merge],
      example.results
    ) {
      var draft = try Self.draft(example)
      if isInDoubt {
        draft.failure = RecordDraft.PushFailure(
          failure: failure,
          isParked: false,
          isOutcomeUnknown: true
        )
      }
      let outcome = draft.pull(
        try DraftTables.body(example.copy),
        isReread: false,
        rules: rules(mode)
      )
      #expect(try Self.text(draft, outcome) == expected, "\(mode)")
      if draft.operation == nil { #expect(draft.failure == nil, "nothing is in doubt") }
    }
  }

  @Test func `the echo of a send that was refused leaves the refusal to the edit made since`()
    throws
  {
    var draft = try Self.draft(Case(edit: "N", copy: "L", results: []))
    draft.failure = RecordDraft.PushFailure(
      failure: failure,
      isParked: true,
      isOutcomeUnknown: false
    )
    let outcome = draft.pull(try DraftTables.body("L"), isReread: false, rules: rules(.merge))
    #expect(outcome == .leftAlone(newConflict: false))
    #expect(draft.failure?.isParked == true && draft.operation == nil)
  }

  /// What was taken without a copy is known by all that was sent, not by what was changed.
  @Test(arguments: [
    ("L", "updated a9 b0/L, leftAlone(false)"), ("LO", "updated a9 b0/L x-LO, leftAlone(true)"),
  ])
  func `a copy after an acknowledgement`(copy: String, expected: String) throws {
    var draft = try Self.draft(Case(edit: "N", copy: copy, results: []))
    draft.operation?.attempts = -1
    draft.server = try DraftTables.body("L")
    let outcome = draft.pull(
      try DraftTables.body(copy),
      isReread: false,
      rules: rules(.leaveIfChanged)
    )
    #expect(try Self.text(draft, outcome) == expected)
    #expect((draft.operation == nil) == (copy == "L"))
  }

  @Test func `a field that goes out as null has arrived where it is null, or gone`() throws {
    let base: Record = ["Id": "1", "a": 0, "b": 0]
    for (sent, copy, isEcho) in [
      (["b": .null], ["Id": "1", "a": 0] as Record, true),
      (["b": .null], ["Id": "1", "a": 0, "b": .null], true),
      (["b": .null], ["Id": "1", "a": 0, "b": 0], false),
      // Null for the first time: a copy without the field was made before.
      (["c": .null], ["Id": "1", "a": 0, "b": 0], false),
      (["c": .null], ["Id": "1", "a": 0, "b": 0, "c": .null], true),
      (["c": 1], ["Id": "1", "a": 0, "b": 0], false),
      // Nothing that was sent differs from the base: then all of it has to be there.
      (["b": 0], ["Id": "1", "a": 1, "b": 1], false),
    ] as [(Record, Record, Bool)] {
      var draft = RecordDraft(id: "1")
      draft.server = base
      draft.local = RecordDraft.LocalEdit(kind: .updated, body: ["Id": "1", "own": 1], version: 6)
      draft.operation = RecordDraft.PendingOperation(
        id: "op",
        version: 5,
        attempts: 1,
        notBefore: 0,
        sent: sent
      )
      _ = draft.pull(copy, isReread: false, rules: rules(.leaveIfChanged))
      #expect((draft.operation == nil) == isEcho, "\(sent.json) in \(copy.json)")
    }
  }

  private static func draft(_ example: Case) throws -> RecordDraft {
    var draft = try DraftTables.draft(
      ["updated L/B", example.conflict, "open"].compactMap(\.self).joined(separator: " ")
    )
    if example.edit == "deleted" {
      draft.local = RecordDraft.LocalEdit(kind: .deleted, body: draft.local?.body, version: 6)
    } else if example.edit != "L" {
      let edit = try edits.first { $0.name == example.edit }?.body ?? DraftTables.body(example.edit)
      draft.local = RecordDraft.LocalEdit(kind: .updated, body: edit, version: 6)
    }
    return draft
  }

  private static func text(_ draft: RecordDraft, _ outcome: RecordDraft.PullOutcome) throws
    -> String
  {
    var text = DraftTables.text(draft)
    if let body = draft.body, let change = draft.local, let a = body["a"]?.int64,
      let b = body["b"]?.int64, change.kind == .updated, change.version == 6, a == 9 || b == 7
    {
      // These edits have no name there.
      let server = try #require(draft.server)
      let base = DraftTables.bodies.first { $0.body == server }?.name ?? "?"
      text = "updated a\(a) b\(b)/\(base)"
      if case .record(let remote)? = draft.conflict?.remote {
        text += " x-\(DraftTables.bodies.first { $0.body == remote }?.name ?? "?")"
      }
      if draft.isOperationOpen { text += " open" }
    }
    switch outcome {
    case .leftAlone(let isNew): return "\(text), leftAlone(\(isNew))"
    case .displaced(let body):
      return "\(text), displaced(\(DraftTables.bodies.first { $0.body == body }?.name ?? "?"))"
    default: return "\(text), \(outcome)"
    }
  }

  private let failure = RecordFailure(code: "NETWORK", message: "", isRetryable: true)

  private func rules(_ mode: MergeMode) -> RecordDraft.PullRules {
    RecordDraft.PullRules(
      mode: mode,
      draft: DraftTables.rules,
      sync: 3,
      now: 8,
      version: 6,
      collection: "contacts"
    ) { _ in nil }
  }

  private static func all(_ result: String) -> [String] { [result, result, result] }

  private static func others(_ result: String) -> [String] { [result, result] }
}
