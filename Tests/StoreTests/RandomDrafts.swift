import OfflineSync
import OfflineSyncTesting

/// Random things that happen to one record.
struct RandomDrafts {
  var random: SeededRandom
  private(set) var lastVersion: Int64 = 0
  private var lastOperation = 0

  static let rules = DraftRules.standard

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of a few ids: texts, texts with escapes, numbers.
  mutating func id() -> RecordID {
    let number = below(8)
    return switch number {
    case 0: RecordID("quo\"te\n")
    case 1, 2: RecordID("\(number)", isNumber: chance(50))
    default: RecordID("r\(number)")
    }
  }

  /// A body of that record with few values, so that equal ones are frequent.
  mutating func body(_ id: RecordID) -> Record {
    var object: JSON.Object = ["Id": id.token]
    if chance(80) { object["lastModifiedDate"] = JSON(below(3)) }
    for field in ["a", "b", "ü"] where chance(70) { object[field] = JSON(below(2)) }
    return Record(object)
  }

  /// Something happens to the record; answers with its name.
  mutating func change(_ draft: inout RecordDraft) throws -> String {
    lastVersion += 1
    do {
      switch below(12) {
      case 0: return try created(&draft)
      case 1, 2: return try updated(&draft)
      case 3:
        try draft.delete(version: lastVersion)
        return "delete"
      case 4:
        try draft.revert(version: lastVersion)
        return "revert"
      case 5, 6: return pulled(&draft)
      case 7:
        return "deletion \(draft.pullDeletion(rules: pullRules()))"
      case 8, 9: return pushed(&draft)
      case 10:
        let resolution = resolution(draft.id) ?? .local
        draft.settle(resolution, version: lastVersion, rules: Self.rules)
        return "settle \(resolution)"
      default: return disturbed(&draft)
      }
    } catch let error as SyncError {
      return "\(error.code)"
    }
  }

  private mutating func created(_ draft: inout RecordDraft) throws -> String {
    let body = body(draft.id)
    try draft.create(body, version: lastVersion, rules: Self.rules)
    return "create \(body)"
  }

  private mutating func updated(_ draft: inout RecordDraft) throws -> String {
    let body = body(draft.id)
    try draft.update(body, version: lastVersion, rules: Self.rules)
    return "update \(body)"
  }

  private mutating func pullRules() -> RecordDraft.PullRules {
    let modes: [MergeMode] = [.overwrite, .leaveIfChanged, .merge]
    let resolution = resolution(RecordID("x"))
    return RecordDraft.PullRules(
      mode: modes[below(3)],
      draft: Self.rules,
      sync: Int64(below(3)) * 9 + 1,
      now: Int64(lastVersion),
      version: lastVersion,
      collection: "contacts",
      resolve: { _ in resolution }
    )
  }

  private mutating func pulled(_ draft: inout RecordDraft) -> String {
    var copy = body(draft.id)
    switch below(6) {
    case 0: copy = draft.server ?? copy
    case 1: copy = draft.local?.body ?? copy
    case 2: copy = draft.newestServerCopy ?? copy
    case 3: copy = draft.operation?.sent ?? copy
    default: break
    }
    if let id = copy.id(field: "Id") { draft.id = id }
    let rules = pullRules()
    let isReread = chance(50)
    let outcome = draft.pull(copy, isReread: isReread, rules: rules)
    return "pull \(rules.mode) \(copy) \(isReread) \(outcome)"
  }

  private mutating func pushed(_ draft: inout RecordDraft) -> String {
    guard draft.local != nil else { return "nothing to push" }
    if draft.operation == nil || chance(50) {
      lastOperation += 1
      let id = "op-\(lastOperation)"
      let body = draft.local?.kind == .deleted ? nil : draft.body
      draft.beginPush(sending: body, makeID: { id })
      return "begin"
    }
    let copy = chance(50) ? body(draft.id) : nil
    let outcomes: [PushOutcome] = [
      .created(id: draft.id, record: copy), .updated(record: copy), .deleted, .missing,
      .conflict(remote: copy), .failed(failure()), .skipped(reason: "later"), .unknown,
    ]
    let outcome = outcomes[below(outcomes.count)]
    let rules = RecordDraft.PushRules(
      mode: [.overwrite, .leaveIfChanged, .merge][below(3)],
      maxAttempts: 3,
      draft: Self.rules,
      sync: Int64(below(3)),
      now: Int64(lastVersion),
      version: lastVersion,
      random: random.next()
    )
    let result = draft.settle(outcome, of: draft.operation?.id ?? "", rules: rules)
    return "push \(outcome) \(result)"
  }

  /// Puts an operation, a failure or a conflict beside a change, whatever led to it.
  private mutating func disturbed(_ draft: inout RecordDraft) -> String {
    guard let edit = draft.local else { return "nothing to disturb" }
    switch below(4) {
    case 0:
      lastOperation += 1
      draft.operation = RecordDraft.PendingOperation(
        id: "op-\(lastOperation)",
        version: edit.version,
        attempts: below(4) - 1,
        notBefore: Int64(below(2)),
        sent: chance(80) ? body(draft.id) : nil
      )
      return "operation"
    case 1:
      draft.failure = RecordDraft.PushFailure(
        failure: failure(),
        isParked: chance(50),
        isOutcomeUnknown: chance(50)
      )
      return "failure"
    case 2:
      draft.failure = nil
      return "no failure"
    default:
      let remotes: [RecordDraft.OpenConflict.Remote] = [
        .record(body(draft.id)), .deleted, .unknown,
      ]
      draft.conflict = RecordDraft.OpenConflict(
        sync: Int64(below(3)),
        foundAt: Int64(below(100)),
        remote: remotes[below(3)]
      )
      return "conflict"
    }
  }

  private mutating func failure() -> RecordFailure {
    RecordFailure(
      code: chance(50) ? "BUSY" : "NO \"ä\"",
      message: "m\(below(3))",
      isRetryable: chance(50),
      retryAfter: chance(50) ? .milliseconds(below(3) * 250) : nil,
      httpStatus: chance(50) ? 400 + below(40) : nil
    )
  }

  private mutating func resolution(_ id: RecordID) -> ConflictResolution? {
    let all: [ConflictResolution?] = [
      nil, .local, .remote, .mergedPreferringLocal, .mergedPreferringRemote, .merged(body(id)),
    ]
    return all[below(all.count)]
  }
}
