import OfflineSync
import Testing

/// The server takes a send, and has what somebody else wrote in a field that was edited here since.
struct ForeignEditTests {
  /// How the device hears of what somebody else wrote.
  enum News: CaseIterable { case answer, pullBeforeAnswer }

  private func rules(
    _ mode: MergeMode,
    only fieldlist: [String]? = nil,
    resolve: @escaping (Conflict) -> ConflictResolution? = { _ in nil }
  ) -> RecordDraft.PushRules {
    let options = SyncOptions(fieldlist: fieldlist)
    let fields = PushFields(options: options, isPartial: true, rules: DraftTables.rules)
    return DraftTables.push(mode, fields: fields, resolve: resolve)
  }

  /// A record of which `a` was sent; then the body was edited to be this.
  private func draft(_ body: Record) throws -> RecordDraft {
    var draft = try DraftTables.draft("updated L/B open")
    draft.operation?.sent = ["a": 1]
    draft.local = RecordDraft.LocalEdit(kind: .updated, body: body, version: 6)
    return draft
  }

  /// The record after the answer, by which the server has these fields.
  private func settled(
    _ edited: Record,
    _ fields: Record,
    _ news: News,
    _ mode: MergeMode
  ) throws -> RecordDraft {
    var draft = try draft(edited)
    var copy: Record = ["Id": "1", "lastModifiedDate": 8]
    for (name, value) in fields.object { copy[name] = value }
    if news == .pullBeforeAnswer {
      draft.conflict = RecordDraft.OpenConflict(sync: 2, foundAt: 3, remote: .record(copy))
      copy["a"] = 1
    }
    let outcome = PushOutcome.updated(record: news == .answer ? copy : nil)
    let result = draft.settle(outcome, of: "op", rules: rules(mode))
    #expect(result == .sent(newID: nil, isFinished: draft.conflict != nil))
    return draft
  }

  @Test(arguments: News.allCases, [MergeMode.leaveIfChanged, .merge])
  func `both are kept as a conflict of that field, and each side can be had`(
    _ news: News,
    _ mode: MergeMode
  ) throws {
    let edited = try DraftTables.body("LO")
    let draft = try settled(edited, ["a": 1, "b": 7], news, mode)
    let conflict = try #require(draft.conflict(in: "contacts", rules: DraftTables.rules))
    #expect(conflict.fields == ["b"])
    #expect(conflict.local?["b"] == 5 && conflict.remote?["b"] == 7 && conflict.base?["b"] == 0)
    for (resolution, value) in [(ConflictResolution.local, Int64(5)), (.remote, 7)] {
      var decided = draft
      decided.settle(resolution, version: 10, rules: DraftTables.rules)
      #expect(decided.conflict == nil && decided.body?["b"] == .int64(value))
      #expect(decided.body?["a"] == 1 && decided.server?["b"] == 7)
      #expect((decided.local == nil) == (value == 7))
    }
  }

  @Test func `the target's resolver decides in mode merge`() throws {
    let rules = rules(.merge) { conflict in
      #expect(conflict.fields == ["b"])
      return .remote
    }
    var draft = try draft(DraftTables.body("LO"))
    let copy: Record = ["Id": "1", "lastModifiedDate": 8, "a": 1, "b": 7]
    let result = draft.settle(.updated(record: copy), of: "op", rules: rules)
    #expect(result == .sent(newID: nil, isFinished: true))
    #expect(draft.local == nil && draft.conflict == nil && draft.server == copy)
  }

  static let harmless: [(name: String, edited: Record, copy: Record)] = [
    (
      "the server writes null where nothing was", ["a": 1, "b": 0, "c": 3],
      ["a": 1, "b": 0, "c": .null]
    ),
    ("the server words what was sent", ["a": 9, "b": 0], ["a": "one", "b": 0]),
    ("both say the same", ["a": 1, "b": 5], ["a": 1, "b": 5]),
    ("somebody else wrote another field", ["a": 1, "b": 5], ["a": 1, "b": 0, "c": 4]),
    ("nobody else wrote", ["a": 1, "b": 5], ["a": 1, "b": 0]),
  ]

  @Test(arguments: harmless.indices, News.allCases)
  func `nothing else is a conflict`(_ index: Int, _ news: News) throws {
    let (name, edited, copy) = Self.harmless[index]
    var body: Record = ["Id": "1", "lastModifiedDate": 1]
    for (field, value) in edited.object { body[field] = value }
    for mode in [MergeMode.leaveIfChanged, .merge] {
      var draft = try draft(body)
      var whole: Record = ["Id": "1", "lastModifiedDate": 8]
      for (field, value) in copy.object { whole[field] = value }
      if news == .pullBeforeAnswer {
        draft.conflict = RecordDraft.OpenConflict(sync: 2, foundAt: 3, remote: .record(whole))
      }
      _ = draft.settle(
        .updated(record: news == .answer ? whole : nil),
        of: "op",
        rules: rules(mode)
      )
      #expect(draft.conflict == nil, "\(name)")
      for (field, value) in edited.object { #expect(draft.body?[field] == value, "\(name)") }
    }
  }

  @Test(arguments: [MergeMode.leaveIfChanged, .merge])
  func `a field that the sync never sends contradicts nobody`(_ mode: MergeMode) throws {
    var body = try DraftTables.body("LO")
    body["c"] = 1
    var draft = try draft(body)
    let copy: Record = ["Id": "1", "lastModifiedDate": 8, "a": 1, "b": 0, "c": 9]
    _ = draft.settle(.updated(record: copy), of: "op", rules: rules(mode, only: ["a", "b"]))
    #expect(draft.conflict == nil && draft.local?.body?["c"] == 1)
    #expect(draft.local?.body?["b"] == 5)
  }

  @Test(arguments: News.allCases)
  func `in mode overwrite the edit wins`(_ news: News) throws {
    let draft = try settled(DraftTables.body("LO"), ["a": 1, "b": 7], news, .overwrite)
    #expect(draft.conflict == nil && draft.local?.body?["b"] == 5 && draft.server?["b"] == 7)
  }
}
