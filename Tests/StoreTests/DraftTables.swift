import OfflineSync
import Testing

/// Named states of a record, and how a state is told in a word or two.
enum DraftTables {
  static let rules = DraftRules.standard

  /// How a push judges, unless a test says otherwise.
  static func push(
    _ mode: MergeMode = .overwrite,
    version: Int64 = 9,
    fields: PushFields? = nil,
    newestVersion: Int64 = .max,
    resolve: @escaping (Conflict) -> ConflictResolution? = { _ in nil }
  ) -> RecordDraft.PushRules {
    RecordDraft.PushRules(
      mode: mode,
      maxAttempts: 3,
      draft: rules,
      sync: 1,
      now: 7,
      version: version,
      random: 0,
      fields: fields,
      newestVersion: newestVersion,
      resolve: resolve
    )
  }

  /// The bodies by their names: of the base, its echo with another date, local, remote and new ones.
  static let bodies: [(name: String, body: Record)] = [
    ("B", ["Id": "1", "lastModifiedDate": 1, "a": 0, "b": 0]),
    ("B'", ["Id": "1", "lastModifiedDate": 2, "a": 0, "b": 0]),
    ("L", ["Id": "1", "lastModifiedDate": 1, "a": 1, "b": 0]),
    ("R", ["Id": "1", "lastModifiedDate": 3, "a": 2, "b": 0]),
    ("S", ["Id": "1", "lastModifiedDate": 4, "a": 3, "b": 0]),
    ("O", ["Id": "1", "lastModifiedDate": 5, "a": 0, "b": 5]),
    ("LO", ["Id": "1", "lastModifiedDate": 5, "a": 1, "b": 5]),
    ("N", ["Id": "1", "lastModifiedDate": 1, "a": 9, "b": 0]),
  ]

  static func body(_ name: String) throws -> Record {
    try #require(bodies.first { $0.name == name }, "no body \(name)").body
  }

  /// The state that `text` tells.
  static func draft(_ state: String) throws -> RecordDraft {
    var draft = RecordDraft(id: "1")
    var words = state.split(separator: " ").map(String.init)[...]
    guard let first = words.popFirst(), first != "gone" else { return draft }
    let names = (words.popFirst() ?? "").split(separator: "/").map(String.init)
    if let kind = ChangeKind(rawValue: first) {
      let isBase = names.count > 1 && names.first == names.last
      let body = kind == .deleted && isBase ? nil : try body(names[0])
      draft.local = RecordDraft.LocalEdit(kind: kind, body: body, version: 5)
      draft.server = names.count > 1 ? try Self.body(names[1]) : nil
    } else {
      draft.server = try body(names[0])
    }
    while let word = words.popFirst() {
      switch word {
      case "open":
        draft.operation = RecordDraft.PendingOperation(
          id: "op",
          version: 5,
          attempts: 1,
          notBefore: 0,
          // Without a base a deletion comes after a create.
          sent: draft.local?.kind == .deleted && draft.server != nil ? nil : draft.body
        )
      default:
        let remote: RecordDraft.OpenConflict.Remote =
          switch word {
          case "x-deleted": .deleted
          case "x-unknown": .unknown
          default: .record(try body(String(word.dropFirst(2))))
          }
        draft.conflict = RecordDraft.OpenConflict(sync: 1, foundAt: 7, remote: remote)
      }
    }
    return draft
  }

  /// A state as `draft` reads it.
  static func text(_ draft: RecordDraft) -> String {
    guard !draft.isGone else { return "gone" }
    var words: [String] = []
    if let local = draft.local {
      words.append("\(local.kind)")
      words.append(([draft.body, draft.server].compactMap { $0.map(name) }).joined(separator: "/"))
    } else {
      words += ["clean", draft.server.map(name) ?? "?"]
    }
    switch draft.conflict?.remote {
    case .record(let remote): words.append("x-\(name(remote))")
    case .deleted: words.append("x-deleted")
    case .unknown: words.append("x-unknown")
    case nil: break
    }
    if draft.isOperationOpen { words.append("open") }
    return words.joined(separator: " ")
  }

  static func name(_ body: Record) -> String {
    bodies.first { $0.body == body }?.name
      ?? bodies.first { rules.isEqual($0.body, body) }.map { "\($0.name)~" } ?? body.json
  }
}
