/// What a change makes of a record's file, decided without touching one.
struct FolderChange {
  let change: LocalChange
  /// What happens when somebody else has written the file; nil: nothing is written over.
  let mergeMode: MergeMode?
  let idField: String
  let dateField: String

  /// What is sent; id and date are the folder's own.
  private var fields: Record {
    var fields = change.fields
    fields[idField] = nil
    fields[dateField] = nil
    return fields
  }

  /// The first body of a new file.
  func created(as id: RecordID, now: Int64) -> Record {
    var record: Record = [:]
    record[idField] = id.token
    record.assign(fields)
    record[dateField] = .string(DateText.text(now))
    return record
  }

  /// The file's record with the fields that are sent; one that was removed here goes, null stays.
  func written(over present: Record) -> Record {
    var record = present
    var values = fields
    for (field, value) in fields.object
    where value == .null && change.record[field] == nil {
      record[field] = nil
      values[field] = nil
    }
    record.assign(values)
    return record
  }

  /// Whether the file holds what somebody else wrote since the base was read, and may not be written over.
  ///
  /// Where fields are merged, it may where nobody but us changed what is sent.
  func isBarred(by present: Record) -> Bool {
    guard mergeMode != .overwrite, let base = change.base else { return false }
    let foreign = present.changedFields(from: base, except: [idField, dateField])
    guard mergeMode == .merge, change.kind == .updated else { return !foreign.isEmpty }
    let wanted = written(over: present)
    let sent = Set(fields.fieldNames)
    return foreign.contains { sent.contains($0) && present[$0] != wanted[$0] }
  }

  /// The answer of a create whose file is there already.
  ///
  /// Without the file's content if somebody else has changed it since: the next pull brings that, as the
  /// edit of another, which must not pass for what we sent.
  func created(as id: RecordID, found file: FolderFile) -> PushOutcome {
    guard case .record(let record, _, _) = file,
      record.isEqual(to: fields, except: [idField, dateField])
    else { return .created(id: id) }
    return .created(id: id, record: record)
  }

  /// The answer of an update after which the file is this; without its content if others wrote to it too.
  func updated(to record: Record) -> PushOutcome {
    guard let base = change.base,
      record.isEqual(to: written(over: base), except: [idField, dateField])
    else { return .updated() }
    return .updated(record: record)
  }

  /// Now, or just after the file's own date, in the form that the file has it in.
  func date(after present: Record, now: Int64) -> JSON {
    var date = now
    if let last = present.milliseconds(field: dateField) {
      date = min(max(now, last + 1), DateText.range.upperBound)
    }
    if case .number? = present[dateField] { return .int64(date) }
    return .string(DateText.text(date))
  }

  /// What tells others that the record was deleted.
  func tombstone(of present: Record, now: Int64) -> Record {
    var tombstone: Record = [:]
    tombstone[idField] = present[idField]
    tombstone[dateField] = date(after: present, now: now)
    return tombstone
  }
}
