// Two local copies of one record become one: a pull was faster than the answer to its create (design section 7).

extension RecordDraft {
  /// Takes in what the store has under the id that the server gave.
  ///
  /// That copy becomes the base, and edits of either side stay; where both have edited a field, or one
  /// was deleted, the newer edit does. What the server's copy has in a field that was edited here without
  /// sight of it is a conflict; in mode `overwrite` the edit wins.
  ///
  /// - Returns: The bodies of which something was replaced.
  package mutating func takeIn(_ other: RecordDraft, rules push: PushRules) -> [Record] {
    let rules = push.draft
    let mine = local
    let acknowledged = server
    var opposed: [String]?
    if let copy = other.server {
      owner = other.owner
      operation = nil
      // The copy that an answer brought into a conflict is newer than the pulled one.
      if conflict == nil {
        opposed = opposition(to: copy, rules: rules)
        replaceBase(with: copy, rules: rules)
        if local?.kind != .deleted, let body = local?.body, rules.isEqual(body, copy) {
          local = nil
        }
      }
    }
    var displaced: [Record] = []
    if let theirs = other.local {
      operation = other.operation
      conflict = conflict ?? other.conflict
      failure = other.failure
      if let elder = join(theirs, rules: push) { displaced.append(elder) }
    }
    guard let opposed, let mine, let acknowledged, let copy = other.server,
      let fields = stillOpposed(opposed, mine, other.local)
    else { return displaced }
    if push.mode == .overwrite { return displaced + [copy] }
    oppose(copy, in: fields, from: acknowledged, rules: push.pull)
    return displaced
  }

  /// Keeps a copy beside an edit that was made without sight of what it has in these fields; none: a
  /// deletion.
  ///
  /// - Parameters:
  ///   - copy: The server's copy, on which the edit stands by now.
  ///   - fields: What the edit would undo.
  ///   - base: What the edit was made on.
  ///   - rules: How the sync merges.
  mutating func oppose(
    _ copy: Record,
    in fields: [String],
    from base: Record,
    rules: PullRules
  ) {
    if local?.kind == .deleted {
      server = base
    } else {
      var without = copy
      for field in fields { without[field] = base[field] }
      server = without
    }
    if conflict == nil { _ = keepBeside(copy, rules: rules) }
  }

  /// What of it is left now that an edit of the other copy was joined: that one knew what it replaced.
  private func stillOpposed(
    _ fields: [String],
    _ mine: LocalEdit,
    _ theirs: LocalEdit?
  ) -> [String]? {
    guard let local else { return nil }
    if mine.kind == .deleted {
      return local.kind == .deleted && theirs?.kind != .deleted ? [] : nil
    }
    guard local.kind != .deleted else { return nil }
    let left = fields.filter { local.body?[$0] == mine.body?[$0] }
    return left.isEmpty ? nil : left
  }

  /// Joins an edit of the other copy; the elder body is the answer if edits in it were replaced.
  private mutating func join(_ theirs: LocalEdit, rules push: PushRules) -> Record? {
    guard let mine = local else {
      local = theirs
      return nil
    }
    let (newer, older) = mine.version > theirs.version ? (mine, theirs) : (theirs, mine)
    var joined = newer
    var displaced = newer.kind == .deleted && older.kind != .deleted ? older.body : nil
    if newer.kind != .deleted, older.kind != .deleted, let body = newer.body, let elder = older.body
    {
      let merge = RecordMerge.merge(
        base: server,
        local: body,
        remote: elder,
        except: push.draft.uncounted,
        preferring: .local
      )
      joined.body = merge.record
      if !merge.conflicts.isEmpty { displaced = elder }
    }
    if joined.kind != .deleted { joined.kind = server == nil ? .created : .updated }
    joined.version = push.version
    local = joined
    return displaced
  }
}
