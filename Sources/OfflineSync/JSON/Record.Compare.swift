extension Record {
  /// The names of the fields in their order.
  package var fieldNames: [String] { RecordFields(self).fields.map(\.name) }

  /// Whether both have the same fields with the same values, some fields not counted.
  ///
  /// The order of fields does not count, numbers compare by their text, strings by UTF-8 bytes.
  package func isEqual(to other: Record, except names: [String] = []) -> Bool {
    if bytes == other.bytes { return true }
    let excepted = FieldNames(names)
    let mine = RecordFields(self)
    let others = RecordFields(other)
    var matchCount = 0
    for (place, field) in mine.fields.enumerated() where !excepted.contains(field.key) {
      guard RecordFields.isSame(field, others.field(field.key, near: place)) else { return false }
      matchCount += 1
    }
    return matchCount == others.fields.count { !excepted.contains($0.key) }
  }

  /// The fields that were added, changed or removed since `base`.
  ///
  /// In the order of this record, then the removed ones in the order of the base.
  package func changedFields(from base: Record, except names: [String] = []) -> [String] {
    if bytes == base.bytes { return [] }
    let excepted = FieldNames(names)
    let mine = RecordFields(self)
    let old = RecordFields(base)
    var changed: [String] = []
    for (place, field) in mine.fields.enumerated() where !excepted.contains(field.key) {
      if !RecordFields.isSame(field, old.field(field.key, near: place)) {
        changed.append(field.name)
      }
    }
    for field in old.fields where !excepted.contains(field.key) {
      if mine.field(field.key) == nil { changed.append(field.name) }
    }
    return changed
  }
}

/// The few names that a comparison leaves out, as the bytes that keys are compared by.
struct FieldNames {
  private let names: [[UInt8]]

  init(_ names: [String]) { self.names = names.map { Array($0.utf8) } }

  func contains(_ key: ArraySlice<UInt8>) -> Bool { names.contains { $0[...] == key } }
}
