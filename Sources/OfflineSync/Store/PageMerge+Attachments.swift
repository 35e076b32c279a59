// What the records of a page say about attachments.

/// Notes the references in the records of pages; of collections without such fields it knows nothing.
struct PageAttachments {
  /// The fields that hold references, by collection.
  private let fields: [String: [String]]
  private let rows: AttachmentTable
  private(set) var ledger = AttachmentLedger()

  init(fields: [String: [String]], rows: AttachmentTable) {
    self.fields = fields
    self.rows = rows
  }

  /// The fields of a collection; nil: none, and nothing needs to be noted.
  func fields(of collection: String) -> [String]? { fields[collection] }

  /// Notes that a record went from one draft to another.
  mutating func note(
    _ fields: [String],
    from before: RecordDraft,
    to after: RecordDraft,
    in name: String
  ) {
    ledger.note(fields, from: before, to: after, in: name, by: .pull)
  }

  /// Notes that a clean or new record has the server body `record` now.
  mutating func noteStored(
    _ record: Record,
    _ fields: [String],
    at slot: RecordIndex.Slot?,
    _ reader: RecordReader
  ) throws {
    let before = try slot.map { try reader.draft(at: $0) }
    guard let id = before?.id ?? record.id(field: reader.collection.rules.idField) else { return }
    var after = RecordDraft(id: id)
    after.server = record
    ledger.note(fields, from: before, to: after, in: reader.collection.name, by: .pull)
  }

  /// Notes the references of an unchanged record that have no row any more.
  mutating func noteUnchanged(
    _ record: Record,
    _ id: RecordID,
    _ fields: [String],
    in collection: String
  ) {
    let isKnown = fields.allSatisfy { field in
      AttachmentReference.reference(in: record[field]).map { rows[$0] != nil } ?? true
    }
    guard !isKnown else { return }
    var draft = RecordDraft(id: id)
    draft.server = record
    ledger.note(fields, from: draft, to: draft, in: collection, by: .pull)
  }
}
