import OfflineSync
import Testing

/// What each copy of a pull makes of each state of a record, in each mode (design section 6).
struct PullTableTests {
  /// A copy's name, `deleted`, or one with `again`: not newer than what the sync has seen.
  typealias Row = (state: String, copy: String, results: [(mode: MergeMode, result: String)])

  static let overwrite = MergeMode.overwrite
  static let leave = MergeMode.leaveIfChanged
  static let merge = MergeMode.merge

  static let table: [Row] = clean + updated + deleted + created + inConflict

  static let clean: [Row] = [
    ("gone", "B", all("clean B, stored")),
    ("gone", "deleted", all("gone, unchanged")),
    ("clean B", "B", all("clean B, unchanged")),
    ("clean B", "B'", all("clean B', stored")),
    ("clean B", "R", all("clean R, stored")),
    ("clean B", "deleted", all("gone, removed")),
  ]

  static let updated: [Row] = [
    (
      "updated L/B", "B",
      [(overwrite, "clean B, displaced L")] + others("updated L/B, left alone")
    ),
    ("updated L/B", "B again", all("updated L/B, left alone")),
    (
      "updated L/B", "B'",
      [(overwrite, "clean B', displaced L")] + others("updated L~/B', left alone")
    ),
    (
      "updated L/B", "B' again",
      [(overwrite, "updated L/B, left alone")] + others("updated L~/B', left alone")
    ),
    ("updated L/B", "L", all("clean L, stored")),
    (
      "updated L/B", "R",
      [(overwrite, "clean R, displaced L")] + others("updated L/B x-R, conflict")
    ),
    (
      "updated L/B", "R again",
      [(overwrite, "clean R, displaced L")] + others("updated L/B x-R, conflict")
    ),
    (
      "updated L/B", "O",
      [
        (overwrite, "clean O, displaced L"), (leave, "updated L/B x-O, conflict"),
        (merge, "updated LO/O, stored"),
      ]
    ),
    (
      "updated L/B", "deleted",
      [(overwrite, "gone, deletion displaced L")] + others("updated L/B x-deleted, conflict")
    ),
  ]

  static let deleted: [Row] = [
    (
      "deleted B/B", "B",
      [(overwrite, "clean B, displaced a deletion")] + others("deleted B/B, left alone")
    ),
    ("deleted B/B", "B again", all("deleted B/B, left alone")),
    (
      "deleted B/B", "R",
      [(overwrite, "clean R, displaced a deletion")] + others("deleted B/B x-R, conflict")
    ),
    // Deleted on both sides: gone, no conflict.
    ("deleted B/B", "deleted", all("gone, removed")),
  ]

  static let created: [Row] = [
    ("created L", "L", all("clean L, stored")),
    (
      "created L", "R",
      [(overwrite, "clean R, displaced L")] + others("created L x-R, conflict")
    ),
    // Created here, and a deletion of that id came: it stays.
    ("created L", "deleted", all("created L, left alone")),
  ]

  static let inConflict: [Row] = [
    (
      "updated L/B x-R", "R",
      [(overwrite, "clean R, displaced L")] + others("updated L/B x-R, left alone")
    ),
    (
      "updated L/B x-R", "S",
      [(overwrite, "clean S, displaced L")] + others("updated L/B x-S, left alone")
    ),
    (
      "updated L/B x-R", "B",
      [(overwrite, "clean B, displaced L")] + others("updated L/B, left alone")
    ),
    ("updated L/B x-R", "L", all("clean L, stored")),
    (
      "updated L/B x-R", "deleted",
      [(overwrite, "gone, deletion displaced L")] + others("updated L/B x-deleted, left alone")
    ),
    (
      "updated L/B x-deleted", "R",
      [(overwrite, "clean R, displaced L")] + others("updated L/B x-R, left alone")
    ),
    (
      "updated L/B x-deleted", "deleted",
      [(overwrite, "gone, deletion displaced L")] + others("updated L/B x-deleted, left alone")
    ),
    (
      "updated L/B x-unknown", "R",
      [(overwrite, "clean R, displaced L")] + others("updated L/B x-R, left alone")
    ),
    (
      "created L x-R", "deleted",
      [(overwrite, "gone, deletion displaced L")] + others("created L x-deleted, left alone")
    ),
  ]

  @Test(arguments: table)
  func `each copy on each state in each mode`(
    state: String,
    copy: String,
    results: [(mode: MergeMode, result: String)]
  ) throws {
    #expect(results.count == 3)
    for (mode, expected) in results {
      var draft = try DraftTables.draft(state)
      let outcome = try pull(copy, mode, into: &draft) { _ in nil }
      #expect("\(DraftTables.text(draft)), \(outcome)" == expected, "\(copy) on \(state), \(mode)")
      #expect(draft.isGone || draft.owner == 3 || copy == "deleted")
    }
  }

  @Test(arguments: [
    (ConflictResolution.local, "updated L/R, stored"),
    (.remote, "clean R, stored"),
    (.mergedPreferringLocal, "updated L~/R, stored"),
    (.mergedPreferringRemote, "clean R, stored"),
    (.merged(["a": 9, "b": 0]), "updated N~/R, stored"),
  ])
  func `in merge mode the target resolves what both sides changed`(
    resolution: ConflictResolution,
    expected: String
  ) throws {
    var draft = try DraftTables.draft("updated L/B")
    var asked: [Conflict] = []
    let outcome = try pull("R", .merge, into: &draft) { conflict in
      asked.append(conflict)
      return resolution
    }
    #expect("\(DraftTables.text(draft)), \(outcome)" == expected)
    let conflict = try #require(asked.first)
    #expect(conflict.fields == ["a"] && conflict.id == "1" && conflict.collection == "contacts")
    #expect(conflict.base == (try DraftTables.body("B")))
    #expect(conflict.local == (try DraftTables.body("L")))
    #expect(conflict.remote == (try DraftTables.body("R")))
  }

  private func pull(
    _ copy: String,
    _ mode: MergeMode,
    into draft: inout RecordDraft,
    resolve: @escaping (Conflict) -> ConflictResolution?
  ) throws -> String {
    let rules = RecordDraft.PullRules(
      mode: mode,
      draft: DraftTables.rules,
      sync: 3,
      now: 8,
      version: 6,
      collection: "contacts",
      resolve: resolve
    )
    let words = copy.split(separator: " ")
    let outcome =
      copy == "deleted"
      ? draft.pullDeletion(rules: rules)
      : draft.pull(
        try DraftTables.body(String(words[0])),
        isReread: words.count > 1,
        rules: rules
      )
    return switch outcome {
    case .stored: "stored"
    case .unchanged: "unchanged"
    case .removed: "removed"
    case .leftAlone(let isNew): isNew ? "conflict" : "left alone"
    case .displaced(nil): "displaced a deletion"
    case .displaced(let body): "displaced \(body == (try DraftTables.body("L")) ? "L" : "?")"
    case .displacedByDeletion(let body):
      "deletion displaced \(body == (try DraftTables.body("L")) ? "L" : "?")"
    }
  }

  private static func all(_ result: String) -> [(mode: MergeMode, result: String)] {
    [(overwrite, result), (leave, result), (merge, result)]
  }

  private static func others(_ result: String) -> [(mode: MergeMode, result: String)] {
    [(leave, result), (merge, result)]
  }
}
