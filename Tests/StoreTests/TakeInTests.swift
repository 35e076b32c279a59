import OfflineSync
import Testing

/// A record takes in the copy that the store has under the id that the server gave it.
struct TakeInTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let mine: String
    let theirs: String
    /// The number of their edit; mine has 5.
    let version: Int64
    let mode: MergeMode
    let expected: String
    let displaced: [String]
    var testDescription: String { "\(mine) takes in \(theirs) \(version), \(mode)" }

    init(
      _ mine: String,
      _ theirs: String,
      version: Int64 = 6,
      mode: MergeMode = .leaveIfChanged,
      _ expected: String,
      displaced: [String] = []
    ) {
      self.mine = mine
      self.theirs = theirs
      self.version = version
      self.mode = mode
      self.expected = expected
      self.displaced = displaced
    }
  }

  static let cases = [
    Case("clean B", "clean R", "clean R"),
    Case("updated L/B", "clean B'", "updated L~/B'"),
    Case("updated L/B", "clean L", "clean L"),
    Case("updated L/B", "clean O", "updated LO/O"),
    // Both changed one field: base and edit stay as they were made, beside what the server has.
    Case("updated L/B", "clean R", "updated L~/B~ x-R"),
    Case("updated L/B", "clean R", mode: .merge, "updated L~/B~ x-R"),
    Case("updated L/B", "clean R", mode: .overwrite, "updated L~/R", displaced: ["R"]),
    // Of two edits the newer one does, and no other field is lost.
    Case("updated L/B", "updated O/B", "updated LO~/B"),
    Case("updated L/B", "updated N/B", "updated N/B", displaced: ["L"]),
    Case("updated L/B", "updated N/B", version: 4, "updated L/B", displaced: ["N"]),
    Case("updated L/B", "updated O/B x-R", "updated LO~/B x-R"),
    // Whoever edited the pulled copy knew what it had.
    Case("updated L/B", "updated S/R", "updated S~/R", displaced: ["L~"]),
    // Deletions.
    Case("deleted B/B", "clean B'", "deleted B'/B'"),
    Case("deleted B/B", "clean R", "deleted B/B x-R"),
    Case("deleted B/B", "clean R", mode: .overwrite, "deleted R/R", displaced: ["R"]),
    Case("deleted B/B", "deleted R/R", "deleted R/R"),
    Case("deleted B/B", "updated S/R", "updated S/R"),
    Case("updated L/B", "deleted R/R", "deleted R/R", displaced: ["L~"]),
  ]

  @Test(arguments: cases)
  func `of both copies one is left, and nothing is gone without trace`(_ example: Case) throws {
    var draft = try DraftTables.draft(example.mine)
    var other = try DraftTables.draft(example.theirs)
    other.local?.version = example.version
    other.owner = 3
    let displaced = draft.takeIn(other, rules: DraftTables.push(example.mode))
    #expect(DraftTables.text(draft) == example.expected)
    #expect(displaced.map(DraftTables.name) == example.displaced)
    #expect(draft.owner == 3)
    let isJoined = other.local != nil && example.mine != "clean B"
    if let local = draft.local { #expect(local.version == (isJoined ? 9 : 5)) }
  }

  @Test func `what is known of the other copy's push comes along, and the own echo has come`()
    throws
  {
    var mine = try DraftTables.draft("updated L/B")
    mine.operation = RecordDraft.PendingOperation(
      id: "mine",
      version: 5,
      attempts: -1,
      notBefore: 0,
      sent: ["a": 1]
    )
    var alone = mine
    _ = alone.takeIn(try DraftTables.draft("clean B'"), rules: DraftTables.push())
    #expect(alone.operation == nil)
    var other = try DraftTables.draft("updated O/B open")
    other.failure = RecordDraft.PushFailure(
      failure: RecordFailure(code: "NETWORK", message: "?", isRetryable: true),
      isParked: false,
      isOutcomeUnknown: true
    )
    _ = mine.takeIn(other, rules: DraftTables.push())
    #expect(mine.operation == other.operation && mine.failure == other.failure)
  }
}
