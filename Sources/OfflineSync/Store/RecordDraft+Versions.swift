// What the server's version says before a change goes out (design section 7).

extension RecordDraft {
  /// Compares what the server has with the base; nil: the change can go out, or there is none any more.
  package mutating func meet(
    _ version: RemoteVersion,
    versionField: String,
    rules: PushRules
  ) -> PushResult? {
    guard local != nil else { return nil }
    if let failure = version.failure {
      self.failure = PushFailure(
        failure: failure,
        isParked: false,
        isOutcomeUnknown: isOperationOpen
      )
      return .failed
    }
    let pull = rules.pull
    if version.isDeleted { return meetDeletion(rules: pull) }
    if isBase(version, versionField: versionField, rules: rules.draft) { return nil }
    guard let copy = version.record, let edit = local else {
      return Self.result(of: keep(.unknown, rules: pull))
    }
    if isEcho(copy) {
      let outcome = absorb(copy, edit: edit, rules: pull)
      if conflict != nil { return Self.result(of: outcome) }
    } else if edit.kind != .deleted, let body, rules.draft.isEqual(copy, body) {
      becomeClean(copy)
    } else if rules.mode == .merge {
      let outcome = merge(copy, rules: pull)
      if conflict != nil { return Self.result(of: outcome) }
    } else {
      return Self.result(of: keep(.record(copy), rules: pull))
    }
    return local == nil ? .sent(newID: nil, isFinished: true) : nil
  }

  private mutating func meetDeletion(rules: PullRules) -> PushResult? {
    if local?.kind == .deleted {
      becomeClean(nil)
      return .sent(newID: nil, isFinished: true)
    }
    return Self.result(of: keep(.deleted, rules: rules))
  }

  /// Whether the server still has what the edit was made on.
  private func isBase(
    _ version: RemoteVersion,
    versionField: String,
    rules: DraftRules
  ) -> Bool {
    guard let server else { return false }
    if let text = version.version, let mine = server[versionField], Self.isSameVersion(mine, text) {
      return true
    }
    return version.record.map { rules.isEqual($0, server) } ?? false
  }

  /// Equal as texts, or as instants; never by order.
  private static func isSameVersion(_ value: JSON, _ text: String) -> Bool {
    let mine = value.string ?? value.text
    if mine.utf8.elementsEqual(text.utf8) { return true }
    let other = JSON.Number(text).map { JSON.number($0) } ?? .string(text)
    guard let instant = DateText.milliseconds(value) else { return false }
    return DateText.milliseconds(other) == instant
  }

  static func result(of outcome: PullOutcome) -> PushResult {
    if case .leftAlone(let isNew) = outcome { return .conflict(isNew: isNew) }
    return .sent(newID: nil, isFinished: true)
  }
}
