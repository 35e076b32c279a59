import OfflineSync
import Testing

/// What each edit makes of each state of a record (design section 4).
struct EditTableTests {
  enum Edit: String, CaseIterable {
    case create, update, updateSame, updateToBase, delete, revert
  }

  /// A state, and what the edits make of it in the order of `Edit.allCases`.
  static let table: [(state: String, results: [String])] = [
    ("gone", ["created N", "-", "-", "-", "-", "-"]),
    ("clean B", ["!", "updated N/B", "clean B", "clean B", "deleted B/B", "clean B"]),
    ("created L", ["!", "created N", "created L", "created B", "gone", "gone"]),
    ("updated L/B", ["!", "updated N/B", "updated L/B", "clean B", "deleted L/B", "clean B"]),
    ("deleted B/B", ["updated N/B", "-", "-", "-", "-", "clean B"]),
    ("deleted L/B", ["updated N/B", "-", "-", "-", "-", "clean B"]),
    // While an outcome is open the record stays dirty, so that the next push corrects it.
    (
      "created L open",
      [
        "!", "created N open", "created L open", "created B open", "deleted L open",
        "deleted L open",
      ]
    ),
    (
      "updated L/B open",
      [
        "!", "updated N/B open", "updated L/B open", "updated B/B open", "deleted L/B open",
        "updated B/B open",
      ]
    ),
    (
      "deleted B/B open",
      ["updated N/B open", "-", "-", "-", "-", "updated B/B open"]
    ),
    // Back to the base goes to the newest server copy.
    (
      "updated L/B x-R",
      [
        "!", "updated N/B x-R", "updated L/B x-R", "clean R", "deleted L/B x-R", "clean R",
      ]
    ),
    (
      "updated L/B x-deleted",
      ["!", "updated N/B x-deleted", "updated L/B x-deleted", "gone", "gone", "gone"]
    ),
    (
      "updated L/B x-unknown",
      [
        "!", "updated N/B x-unknown", "updated L/B x-unknown", "updated B/B x-unknown",
        "deleted L/B x-unknown", "clean B",
      ]
    ),
    ("deleted B/B x-R", ["updated N/B x-R", "-", "-", "-", "-", "clean R"]),
    (
      "created L x-R",
      ["!", "created N x-R", "created L x-R", "created B x-R", "deleted L x-R", "clean R"]
    ),
    (
      "updated L/B x-R open",
      [
        "!", "updated N/B x-R open", "updated L/B x-R open", "updated B/B x-R open",
        "deleted L/B x-R open", "updated R/R open",
      ]
    ),
  ]

  @Test(arguments: table)
  func `each edit of each state`(state: String, results: [String]) throws {
    for (edit, expected) in zip(Edit.allCases, results) {
      var draft = try DraftTables.draft(state)
      #expect(DraftTables.text(draft) == state)
      let found = try apply(edit, to: &draft)
      #expect(found == expected, "\(edit) of \(state)")
      if !"-!".contains(expected), expected != state {
        #expect(draft.isGone || draft.local == nil || draft.local?.version == 6)
      }
    }
  }

  /// Edits of a change that was sent.
  @Test(arguments: [
    ("updated L/B open", [Edit.update, .updateToBase, .delete, .revert]),
    ("created L open", [.update, .delete, .revert]), ("deleted B/B open", [.create, .revert]),
    ("deleted L open", [.create]),
  ])
  func `an edit forgets a refusal, and frees a parked send that is in doubt`(
    state: String,
    edits: [Edit]
  ) throws {
    for (edit, isInDoubt) in edits.flatMap({ [($0, true), ($0, false)] }) {
      var draft = try DraftTables.draft(state)
      let operation = draft.operation
      draft.failure = RecordDraft.PushFailure(
        failure: RecordFailure(code: "TRANSFER", message: "no"),
        isParked: true,
        isOutcomeUnknown: isInDoubt
      )
      _ = try apply(edit, to: &draft)
      #expect(draft.operation == (isInDoubt ? operation : nil), "\(edit)")
      #expect(draft.failure?.isParked == (isInDoubt ? false : nil), "\(edit)")
    }
  }

  @Test func `an edit after an acknowledgement still awaits its echo`() throws {
    var draft = try DraftTables.draft("updated L/B open")
    draft.operation?.attempts = -1
    let operation = draft.operation
    #expect(try apply(.update, to: &draft) == "updated N/B")
    #expect(draft.operation == operation)
  }

  private func apply(_ edit: Edit, to draft: inout RecordDraft) throws -> String {
    let rules = DraftTables.rules
    do {
      switch edit {
      case .create: try draft.create(DraftTables.body("N"), version: 6, rules: rules)
      case .update: try draft.update(DraftTables.body("N"), version: 6, rules: rules)
      case .updateSame:
        let body = draft.body ?? [:]
        try draft.update(body, version: 6, rules: rules)
      case .updateToBase: try draft.update(DraftTables.body("B"), version: 6, rules: rules)
      case .delete: try draft.delete(version: 6)
      case .revert: try draft.revert(version: 6)
      }
    } catch let error as SyncError {
      switch error.code {
      case .recordExists: return "!"
      case .recordNotFound: return "-"
      default: throw error
      }
    }
    return DraftTables.text(draft)
  }
}
