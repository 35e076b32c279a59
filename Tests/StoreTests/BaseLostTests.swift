import OfflineSync
import Testing

/// Changes of records that the server has, whose base was lost to damage: never taken for new records.
struct BaseLostTests {
  typealias Push = RecordDraft.PushRules

  /// An operation that is open; `sent-deletion` is one that carries a deletion.
  private static func draft(_ state: String) throws -> RecordDraft {
    let name = state.replacing(" sent-deletion", with: " open")
    var draft = try DraftTables.draft(name)
    if name != state { draft.operation?.sent = nil }
    return draft
  }

  @Test(arguments: [
    ("updated L", true), ("deleted L", true), ("updated L open", true), ("updated L x-R", true),
    ("deleted L sent-deletion", true), ("updated L x-unknown", true), ("created L", false),
    ("created L open", false), ("deleted L open", false), ("updated L/B", false),
    ("deleted B/B", false), ("clean B", false), ("gone", false),
  ])
  func `a change of a record without its base is told from one that was never sent`(
    state: String,
    isLost: Bool
  ) throws {
    #expect(try Self.draft(state).isBaseLost == isLost)
  }

  // MARK: - Edits

  /// A state, and what comes of it by a create, an update, a deletion and a revert.
  @Test(arguments: [
    ("updated L", ["!", "updated N", "deleted L", "gone"]),
    ("deleted L", ["updated N", "-", "-", "gone"]),
    ("updated L open", ["!", "updated N open", "deleted L", "gone"]),
    ("deleted L sent-deletion", ["updated N open", "-", "-", "gone"]),
    ("updated L x-R", ["!", "updated N x-R", "deleted L x-R", "clean R"]),
    ("updated L x-unknown", ["!", "updated N x-unknown", "deleted L x-unknown", "gone"]),
    ("updated L x-deleted", ["!", "updated N x-deleted", "gone", "gone"]),
    ("deleted L x-unknown", ["updated N x-unknown", "-", "-", "gone"]),
  ])
  func `an edit keeps it a change of what the server has`(state: String, results: [String]) throws {
    let rules = DraftTables.rules
    let body = try DraftTables.body("N")
    let edits: [(inout RecordDraft) throws -> Void] = [
      { try $0.create(body, version: 6, rules: rules) },
      { try $0.update(body, version: 6, rules: rules) }, { try $0.delete(version: 6) },
      { try $0.revert(version: 6) },
    ]
    for (edit, expected) in zip(edits, results) {
      var draft = try Self.draft(state)
      do {
        try edit(&draft)
        #expect(DraftTables.text(draft) == expected)
      } catch let error as SyncError {
        #expect((error.code == .recordExists ? "!" : "-") == expected)
      }
    }
  }

  /// A state, and what its conflict's resolutions as local and as a merged record make of it.
  @Test(arguments: [
    ("updated L x-unknown", "updated L", "updated N"),
    ("deleted L x-unknown", "deleted L", "updated N"),
    ("updated L x-R", "updated L/R", "updated N~/R"),
    ("updated L x-deleted", "created L", "created N"),
  ])
  func `a conflict that ends leaves it one`(state: String, local: String, merged: String) throws {
    let resolutions: [(ConflictResolution, String)] = [
      (.local, local), (.merged(try DraftTables.body("N")), merged),
    ]
    for (resolution, expected) in resolutions {
      var draft = try Self.draft(state)
      draft.settle(resolution, version: 6, rules: DraftTables.rules)
      #expect(DraftTables.text(draft) == expected, "\(resolution)")
    }
  }

  // MARK: - Pushes

  @Test(arguments: [
    ("updated L", ChangeKind.updated), ("updated L open", .updated), ("deleted L", .deleted),
    ("deleted L sent-deletion", .deleted), ("created L", .created), ("deleted L open", .created),
  ])
  func `it goes out as what it is`(state: String, kind: ChangeKind) throws {
    var draft = try Self.draft(state)
    let fields = rules(.overwrite).fields
    draft.beginPush(sending: fields.fields(of: draft)) { "op" }
    let change = try #require(draft.outgoingChange(in: "contacts", fields: fields))
    #expect(change.kind == kind && change.id == "1" && change.base == nil)
    #expect(change.fields["a"] == (kind == .deleted ? nil : 1))
  }

  @Test(arguments: [
    ("updated L", "B", MergeMode.leaveIfChanged, "updated L x-B"),
    ("updated L", "R", .leaveIfChanged, "updated L x-R"),
    ("updated L", "L", .leaveIfChanged, "clean L"),
    ("updated L", "R", .merge, "updated L x-R"), ("updated L", "L", .merge, "clean L"),
    ("updated L", "-", .leaveIfChanged, "updated L x-deleted"),
    ("updated L", "-", .merge, "updated L x-deleted"),
    ("deleted L", "R", .leaveIfChanged, "deleted L x-R"),
    ("deleted L", "R", .merge, "deleted L x-R"),
    ("deleted L", "-", .leaveIfChanged, "gone"),
  ])
  func `the copy that the server has meets it as a conflict unless it says the same`(
    state: String,
    copy: String,
    mode: MergeMode,
    expected: String
  ) throws {
    var draft = try Self.draft(state)
    let version: RemoteVersion = copy == "-" ? .deleted : .record(try DraftTables.body(copy))
    _ = draft.meet(version, versionField: "lastModifiedDate", rules: rules(mode))
    #expect(DraftTables.text(draft) == expected)
    var pulled = try Self.draft(state)
    if copy == "-" {
      _ = pulled.pullDeletion(rules: pullRules(mode))
    } else {
      _ = pulled.pull(try DraftTables.body(copy), isReread: false, rules: pullRules(mode))
    }
    #expect(DraftTables.text(pulled) == expected, "pulled")
  }

  /// A state, an answer, and what comes of it when the mode is to overwrite and when it is not.
  @Test(arguments: [
    ("updated L open", PushOutcome.updated(), "clean L", "clean L"),
    ("updated L open", .missing, "created L", "updated L x-deleted"),
    ("updated L open", .conflict(), "updated L x-unknown", "updated L x-unknown"),
    ("deleted L sent-deletion", .deleted, "gone", "gone"),
    ("deleted L sent-deletion", .missing, "gone", "gone"),
    ("deleted L sent-deletion", .conflict(), "deleted L x-unknown", "deleted L x-unknown"),
  ])
  func `each answer`(
    state: String,
    answer: PushOutcome,
    overwriting: String,
    otherwise: String
  ) throws {
    for (mode, expected) in [
      (MergeMode.overwrite, overwriting), (.leaveIfChanged, otherwise), (.merge, otherwise),
    ] {
      var draft = try Self.draft(state)
      _ = draft.settle(answer, of: "op", rules: rules(mode))
      #expect(DraftTables.text(draft) == expected, "\(mode)")
    }
  }

  @Test(arguments: ["updated L open", "deleted L sent-deletion"])
  func `one that was edited during a push that was refused is still there`(state: String) throws {
    var draft = try Self.draft(state)
    draft.local?.version = 6
    let refusal = RecordFailure(code: "TRANSFER", message: "no", isRetryable: false)
    #expect(draft.settle(.failed(refusal), of: "op", rules: rules(.overwrite)) == .again)
    #expect(DraftTables.text(draft) == String(state.prefix(9)) && draft.isBaseLost)
  }

  private func rules(_ mode: MergeMode) -> Push {
    Push(
      mode: mode,
      maxAttempts: 3,
      draft: DraftTables.rules,
      sync: 1,
      now: 7,
      version: 6,
      random: 0
    )
  }

  private func pullRules(_ mode: MergeMode) -> RecordDraft.PullRules {
    RecordDraft.PullRules(
      mode: mode,
      draft: DraftTables.rules,
      sync: 1,
      now: 7,
      version: 6,
      collection: "contacts"
    ) { _ in nil }
  }
}
