import OfflineSync
import Testing

/// How each conflict ends by each decision (design section 7).
struct SettleTableTests {
  static let resolutions: [ConflictResolution] = [
    .local, .remote, .mergedPreferringLocal, .mergedPreferringRemote,
    .merged(["Id": "7", "a": 9, "b": 0]),
  ]

  /// A state, and what the resolutions make of it.
  static let table: [(state: String, results: [String])] = [
    ("updated L/B", Array(repeating: "updated L/B", count: 5)),
    ("updated L/B x-R", ["updated L/R", "clean R", "updated L~/R", "clean R", "updated N~/R"]),
    (
      "updated L/B x-O", ["updated L/O", "clean O", "updated LO/O", "updated LO/O", "updated N~/O"]
    ),
    ("updated L/B x-deleted", ["created L", "gone", "created L", "gone", "created N~"]),
    ("deleted B/B x-R", ["deleted R/R", "clean R", "deleted R/R", "clean R", "updated N~/R"]),
    // What was created on both sides is merged without a base.
    ("created L x-R", ["updated L/R", "clean R", "updated L~/R", "clean R", "updated N~/R"]),
    // A copy read after the send tells what came of it: to send the old body again would undo the copy.
    (
      "updated L/B x-R open",
      ["updated L/R", "clean R", "updated L~/R", "clean R", "updated N~/R"]
    ),
  ]

  @Test(arguments: table)
  func `each resolution of each conflict`(state: String, results: [String]) throws {
    for (resolution, expected) in zip(Self.resolutions, results) {
      var draft = try DraftTables.draft(state)
      draft.settle(resolution, version: 6, rules: DraftTables.rules)
      #expect(DraftTables.text(draft) == expected, "\(resolution) of \(state)")
      if let body = draft.body { #expect(body["Id"] == "1") }
      if state.contains("x-"), let edit = draft.local { #expect(edit.version == 6, "a new edit") }
    }
  }
}
