/// What the store keeps in memory of a record that is not simply clean; bodies stay on disk.
package struct RecordDetail: Sendable {
  /// The local change.
  package var local: Local?
  /// The operation that carries, or carried, it.
  package var operation: Operation?
  /// The conflict.
  package var conflict: ConflictLine?
  /// Why the last push failed.
  package var failure: Failure?

  /// Whether nothing is kept.
  package var isEmpty: Bool {
    local == nil && operation == nil && conflict == nil && failure == nil
  }

  /// An `l` line.
  package struct Local: Sendable {
    package var line: JournalLine
    package var version: Int64
    package var kind: ChangeKind
  }

  /// An `s` line.
  package struct Operation: Sendable {
    package var line: JournalLine
    package var version: Int64
    package var id: String
    package var attempts: Int
    package var notBefore: Int64
  }

  /// An `x` line.
  package struct ConflictLine: Sendable {
    package var line: JournalLine
    package var sync: Int64
    package var foundAt: Int64
  }

  /// An `f` line, with what it says.
  package struct Failure: Sendable {
    package var line: JournalLine
    package var failure: RecordDraft.PushFailure
  }

  /// Its lines in the order in which they must be read again.
  package var lines: [JournalLine] {
    [local?.line, operation?.line, conflict?.line, failure?.line].compactMap(\.self)
  }

  /// The version after which nothing is open: of the local change, of the operation.
  package mutating func settle(upTo version: Int64) -> Int {
    var freed = conflict?.line.byteCount ?? 0
    conflict = nil
    if let edit = local, edit.version <= version {
      freed += edit.line.byteCount
      local = nil
    }
    if let pending = operation, pending.version <= version {
      freed += pending.line.byteCount
      operation = nil
    }
    if local == nil { freed += dropFailure() }
    return freed
  }

  /// Forgets the failure; how many bytes its line had.
  package mutating func dropFailure() -> Int {
    defer { failure = nil }
    return failure?.line.byteCount ?? 0
  }
}
