import OfflineSync
import Testing

/// What a server's version or copy makes of a change, before it goes out or instead of being taken.
struct MeetTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let state: String
    let shown: RemoteVersion
    let field: String
    let mode: MergeMode
    let expected: String
    let result: RecordDraft.PushResult?
    var testDescription: String { "\(state) meets \(shown), \(mode)" }
  }

  static let finished = RecordDraft.PushResult.sent(newID: nil, isFinished: true)

  private static func shown(_ name: String) -> RemoteVersion {
    DraftTables.bodies.first { $0.name == name }.map { .record($0.body) } ?? .deleted
  }

  static let cases = [
    Case("updated L/B", shown("L"), "clean L", finished),
    Case("updated L/B", shown("LO"), mode: .merge, "clean LO", finished),
    Case("updated L/B", shown("R"), "updated L/B x-R", .conflict(isNew: true)),
    Case("updated L/B", shown("B"), "updated L/B", nil),
    Case("created L", shown("R"), "created L x-R", .conflict(isNew: true)),
    Case("deleted B/B", .deleted, "gone", finished),
    // Nothing says that the server still has the base.
    Case(
      "updated L/B",
      .version("x"),
      field: "none",
      "updated L/B x-unknown",
      .conflict(isNew: true)
    ),
    Case(
      "updated L/B",
      .version("x"),
      field: "Id",
      "updated L/B x-unknown",
      .conflict(isNew: true)
    ),
    Case("updated L/B", .version("1"), field: "Id", "updated L/B", nil),
  ]

  @Test(arguments: cases)
  func `a version that the server shows before a push`(example: Case) throws {
    var draft = try DraftTables.draft(example.state)
    let result = draft.meet(
      example.shown,
      versionField: example.field,
      rules: rules(example.mode)
    )
    #expect(result == example.result)
    #expect(DraftTables.text(draft) == example.expected)
  }

  @Test(arguments: ["updated L/B", "updated L/B open", "deleted B/B", "created L x-R"])
  func `a version that could not be told leaves the change to the next run`(state: String) throws {
    let failure = RecordFailure(code: "TRANSFER", message: "no", isRetryable: true)
    var draft = try DraftTables.draft(state)
    let result = draft.meet(
      .failed(failure),
      versionField: "lastModifiedDate",
      rules: rules(.merge)
    )
    #expect(result == .failed)
    #expect(DraftTables.text(draft) == state)
    let isOpen = state.hasSuffix("open")
    #expect(
      draft.failure
        == RecordDraft.PushFailure(failure: failure, isParked: false, isOutcomeUnknown: isOpen)
    )
  }

  @Test func `a conflict that the target resolves ends with its push`() throws {
    var draft = try DraftTables.draft("updated L/B")
    let rules = rules(.merge) { _ in .remote }
    #expect(draft.meet(Self.shown("R"), versionField: "", rules: rules) == Self.finished)
    #expect(DraftTables.text(draft) == "clean R")
  }

  @Test(arguments: [
    ("updated L/B", "L", MergeMode.leaveIfChanged, "clean L"),
    ("updated L/B", "LO", .merge, "clean LO"), ("deleted B/B", "-", .leaveIfChanged, "gone"),
  ]) func `a copy that comes as the answer and says the same ends the push`(
    state: String,
    copy: String,
    mode: MergeMode,
    expected: String
  ) throws {
    var draft = try DraftTables.draft(state)
    let remote =
      copy == "-" ? .deleted : RecordDraft.OpenConflict.Remote.record(try DraftTables.body(copy))
    #expect(draft.meet(remote, rules: rules(mode)) == Self.finished)
    #expect(DraftTables.text(draft) == expected)
  }

  private func rules(
    _ mode: MergeMode,
    resolve: @escaping (Conflict) -> ConflictResolution? = { _ in nil }
  ) -> RecordDraft.PushRules {
    DraftTables.push(mode, version: 6, resolve: resolve)
  }
}

extension MeetTests.Case {
  init(
    _ state: String,
    _ shown: RemoteVersion,
    field: String = "lastModifiedDate",
    mode: MergeMode = .leaveIfChanged,
    _ expected: String,
    _ result: RecordDraft.PushResult?
  ) {
    self.init(
      state: state,
      shown: shown,
      field: field,
      mode: mode,
      expected: expected,
      result: result
    )
  }
}
