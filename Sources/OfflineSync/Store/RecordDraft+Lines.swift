// The journal lines that lead from one draft to another (`journal.md`).
//
// What a line does when it is read again: `r` sets the server body, ends the conflict and every `l`
// and `s` that is not newer than its version (and the failure, if no `l` is left); `l` and `s` end
// the failure; `g` ends everything, but what the next line of the commit writes anew keeps its place in
// the order; `x`, `f` and `o` set theirs.

extension RecordDraft {
  /// Writes what differs from `before`; nil: the record was not there.
  ///
  /// - Parameters:
  ///   - before: What was there.
  ///   - collection: The collection's number.
  ///   - endsMalformed: Whether a server line is wanted, to end what was set aside as malformed.
  ///   - transaction: Gets the lines.
  package func write(
    replacing before: RecordDraft?,
    collection: Int64,
    endingMalformed endsMalformed: Bool = false,
    to transaction: inout JournalTransaction
  ) {
    let known = before.flatMap { $0.isGone ? nil : $0 }
    if isGone {
      if known != nil { writeGone(collection: collection, to: &transaction) }
      return
    }
    var old = known
    if let present = known, mustStartOver(from: present) {
      writeGone(collection: collection, to: &transaction)
      old = nil
    }
    var settled: Int64?
    if let server, endsMalformed || needsServerLine(over: old) {
      settled = settledVersion(over: old)
      transaction.writeServer(
        collection: collection,
        id: id,
        version: settled ?? 0,
        owner: owner,
        body: server.bytes.span
      )
    }
    writeRest(over: old, settled: settled, collection: collection, to: &transaction)
    if settled == nil, old?.owner ?? 0 != owner {
      transaction.writeOwner(owner, of: id, collection: collection)
    }
  }

  /// Whether no line but `g` can take away what `before` has more.
  private func mustStartOver(from before: RecordDraft) -> Bool {
    guard server == nil else { return false }
    return before.server != nil || (before.conflict != nil && conflict == nil)
      || (before.operation != nil && operation == nil)
      || (before.local != nil && local == nil)
  }

  private func needsServerLine(over before: RecordDraft?) -> Bool {
    guard let before else { return true }
    return before.server?.bytes != server?.bytes
      || (before.local != nil && local == nil)
      || (before.operation != nil && operation == nil)
      || (before.conflict != nil && conflict == nil)
      || before.id.isNumber != id.isNumber
  }

  /// The version an `r` line needs to end what is no longer there; 0: nothing.
  private func settledVersion(over before: RecordDraft?) -> Int64 {
    var version: Int64 = 0
    if let edit = before?.local, local == nil { version = max(version, edit.version) }
    if let pending = before?.operation, operation == nil {
      version = max(version, pending.version)
    }
    return version
  }

  private func writeRest(
    over before: RecordDraft?,
    settled: Int64?,
    collection: Int64,
    to transaction: inout JournalTransaction
  ) {
    var endsFailure = settled != nil && local == nil
    let isToken = settled == nil && before?.id.isNumber != id.isNumber
    if let local, local != before?.local || local.version <= settled ?? 0 || isToken {
      transaction.writeLocal(local, id: id, collection: collection)
      endsFailure = true
    }
    if let operation, operation != before?.operation || operation.version <= settled ?? 0 {
      transaction.begin(JournalKind.sent)
      transaction.add(collection)
      transaction.add(id)
      transaction.add(operation.version)
      transaction.add(operation.id)
      transaction.add(Int64(operation.attempts))
      transaction.add(operation.notBefore)
      transaction.addBody(operation.sent)
      transaction.end()
      endsFailure = true
    }
    if let conflict, conflict != before?.conflict || settled != nil {
      transaction.begin(JournalKind.conflict)
      transaction.add(collection)
      transaction.add(id)
      transaction.add(conflict.sync)
      transaction.add(conflict.foundAt)
      switch conflict.remote {
      case .record(let record): transaction.add(raw: record.bytes.span)
      case .deleted: transaction.addBody(nil)
      case .unknown: transaction.add(raw: Array("false".utf8).span)
      }
      transaction.end()
    }
    if failure != before?.failure || (failure != nil && endsFailure) {
      guard failure != nil || !endsFailure else { return }
      transaction.begin(JournalKind.failure)
      transaction.add(collection)
      transaction.add(id)
      transaction.addBody(failure?.record)
      transaction.end()
    }
  }

  private func writeGone(collection: Int64, to transaction: inout JournalTransaction) {
    transaction.begin(JournalKind.gone)
    transaction.add(collection)
    transaction.add(id)
    transaction.end()
  }
}

extension JournalTransaction {
  /// Writes an `r` line.
  package mutating func writeServer(
    collection: Int64,
    id: RecordID,
    version: Int64,
    owner: Int64,
    body: Span<UInt8>
  ) {
    begin(JournalKind.record)
    add(collection)
    add(id)
    add(version)
    add(owner)
    add(raw: body)
    end()
  }

  /// Writes an `l` line.
  package mutating func writeLocal(
    _ edit: RecordDraft.LocalEdit,
    id: RecordID,
    collection: Int64
  ) {
    begin(JournalKind.local)
    add(collection)
    add(id)
    add(edit.version)
    add(edit.kind.rawValue)
    addBody(edit.body)
    end()
  }

  /// Writes an `o` line; it names a record that is there, whose token other lines have.
  mutating func writeOwner(_ owner: Int64, of id: RecordID, collection: Int64) {
    begin(JournalKind.owner)
    add(collection)
    add(id.text)
    add(owner)
    end()
  }

  /// Writes a body as the line's last element; nil: `null`.
  package mutating func addBody(_ body: Record?) {
    if let body {
      add(raw: body.bytes.span)
    } else {
      add(raw: nullText.span)
    }
  }
}

private let nullText = Array("null".utf8)
