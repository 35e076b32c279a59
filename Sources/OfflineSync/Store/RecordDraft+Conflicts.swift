// How a conflict ends by a decision of the app or of the target (design section 7).

extension RecordDraft {
  /// Settles the conflict; what then differs from the server is a change to push.
  package mutating func settle(
    _ resolution: ConflictResolution,
    version: Int64,
    rules: DraftRules
  ) {
    guard let conflict else { return }
    let localBody = local?.kind == .deleted ? nil : body
    let base = server
    var remote: Record?
    if case .record(let record) = conflict.remote { remote = record }
    if conflict.remote == .unknown { remote = base }
    let result: Record?
    switch resolution.kind {
    case .local: result = localBody
    case .remote: result = remote
    case .merged(let record):
      // Id and date are the server's, whatever the app's record says.
      result = (remote ?? localBody)?.keeping(rules.uncounted, over: record) ?? record
    case .preferringLocal, .preferringRemote:
      result = Self.merged(
        base: base,
        local: localBody,
        remote: remote,
        preferringLocal: resolution.kind == .preferringLocal,
        rules: rules
      )
    }
    // A base that is lost is no sign that the server has nothing.
    let isBaseLost = conflict.remote == .unknown && isBaseLost
    if conflict.remote != .unknown {
      // What the server has now is known, so nothing is in doubt any more.
      operation = nil
      failure = nil
    }
    self.conflict = nil
    server = remote
    stand(result, isBaseLost: isBaseLost, version: version, rules: rules)
  }

  /// Makes `result` (nil: deleted) the local side over the present server copy.
  private mutating func stand(
    _ result: Record?,
    isBaseLost: Bool,
    version: Int64,
    rules: DraftRules
  ) {
    let last = body
    let isSame: Bool =
      switch (result, server) {
      case (nil, nil): !isBaseLost
      case (let result?, let server?): rules.isEqual(result, server)
      default: false
      }
    if isSame && !isOperationOpen {
      becomeClean(server)
      return
    }
    if let result {
      local = LocalEdit(
        kind: server == nil && !isBaseLost ? .created : .updated,
        body: result,
        version: version
      )
    } else {
      local = LocalEdit(kind: .deleted, body: last, version: version)
    }
    endSettledOperation()
  }

  private static func merged(
    base: Record?,
    local: Record?,
    remote: Record?,
    preferringLocal: Bool,
    rules: DraftRules
  ) -> Record? {
    switch (local, remote) {
    case (let local?, let remote?):
      return RecordMerge.merge(
        base: base,
        local: local,
        remote: remote,
        except: rules.uncounted,
        preferring: preferringLocal ? .local : .remote
      ).record
    case (let local, nil): return preferringLocal ? local : nil
    case (nil, let remote): return preferringLocal ? nil : remote
    }
  }
}

extension Record {
  /// Another record with those of the named fields that this one has.
  fileprivate func keeping(_ fields: [String], over other: Record) -> Record {
    var record = other
    for field in fields {
      if let value = self[field], value != record[field] { record[field] = value }
    }
    return record
  }
}
