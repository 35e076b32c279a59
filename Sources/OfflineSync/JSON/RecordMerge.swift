/// Joins copies of one record field by field; pure.
///
/// A field counts as changed when it was added, removed or has another value. Values are taken
/// with the bytes they have.
package enum RecordMerge {
  /// Whose value a field gets that both sides changed to different ones.
  package enum Side: Sendable { case local, remote }

  /// What a three-way merge gives.
  package struct Merged: Sendable, Equatable {
    /// The remote copy with the fields that were changed here.
    package let record: Record
    /// The fields that both sides changed to different values: in the order of the local copy, then
    /// those removed here.
    package let conflicts: [String]
  }

  /// The remote copy overlaid with what was changed here since the base.
  ///
  /// - Parameters:
  ///   - base: what both sides started from; nil: created on both.
  ///   - local: the copy that was edited here.
  ///   - remote: the server's copy.
  ///   - names: fields that are the server's alone, as id and modification date are.
  ///   - side: whose value a conflicting field gets.
  /// - Returns: the merged record, and what both sides changed.
  package static func merge(
    base: Record?,
    local: Record,
    remote: Record,
    except names: [String] = [],
    preferring side: Side = .local
  ) -> Merged {
    let excepted = FieldNames(names)
    let old = base.map { RecordFields($0) } ?? RecordFields()
    let mine = RecordFields(local)
    let theirs = RecordFields(remote)
    var merged = theirs
    var conflicts: [String] = []
    for field in mine.fields where !excepted.contains(field.key) {
      let before = old.field(field.key)
      let there = theirs.field(field.key)
      if RecordFields.isSame(field, before) || RecordFields.isSame(field, there) { continue }
      let isConflict = !RecordFields.isSame(before, there)
      if isConflict { conflicts.append(field.name) }
      if !isConflict || side == .local { merged.set(field) }
    }
    for field in old.fields where !excepted.contains(field.key) {
      guard mine.field(field.key) == nil, let there = theirs.field(field.key) else { continue }
      let isConflict = !RecordFields.isSame(field, there)
      if isConflict { conflicts.append(field.name) }
      if !isConflict || side == .local { merged.remove(field.key) }
    }
    return Merged(record: merged.record, conflicts: conflicts)
  }

  /// The local copy after its base was replaced: what was not changed here follows the new base.
  ///
  /// Fields keep the order of the local copy; what only the new base has goes last.
  ///
  /// - Parameters:
  ///   - local: the copy that was edited on `old`.
  ///   - old: the base that goes.
  ///   - new: the base that comes.
  ///   - names: fields that follow the new base in any case, as id and modification date do.
  /// - Returns: the local copy over the new base.
  package static func rebase(
    _ local: Record,
    from old: Record,
    onto new: Record,
    except names: [String] = []
  ) -> Record {
    let followers = FieldNames(names)
    let before = RecordFields(old)
    let after = RecordFields(new)
    let mine = RecordFields(local)
    var rebased = mine
    for field in mine.fields {
      let replacement = after.field(field.key)
      if followers.contains(field.key) {
        if let replacement { rebased.set(replacement) }
      } else if RecordFields.isSame(field, before.field(field.key)) {
        if let replacement { rebased.set(replacement) } else { rebased.remove(field.key) }
      }
    }
    for field in after.fields where mine.field(field.key) == nil {
      let isNew = before.field(field.key) == nil
      if isNew || followers.contains(field.key) { rebased.set(field) }
    }
    return rebased.record
  }

  /// The base after the server took `sent` without sending its copy back.
  ///
  /// Where only changed fields are sent, a removed one goes out as null: if `local` still lacks it,
  /// the base lacks it too from now on, for else it would count as changed for ever.
  package static func overlay(_ base: Record, with sent: Record, local: Record? = nil) -> Record {
    var fields = RecordFields(base)
    let mine = local.map { RecordFields($0) }
    for field in RecordFields(sent).fields {
      let isNull = field.value.elementsEqual("null".utf8)
      if isNull, let mine, mine.field(field.key) == nil {
        fields.remove(field.key)
      } else {
        fields.set(field)
      }
    }
    return fields.record
  }
}
