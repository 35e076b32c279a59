// Which fields hold references. The store remembers them, so that a client that declares none, such as a
// tool that edits a record, still keeps the rows right.

extension Store {
  /// Takes the fields that the client declares beside those the store remembers, and registers the
  /// references that records hold in new ones.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID for a field that holds the id or the date, STORE, STORE_FULL.
  package func adoptColumns() throws {
    let known = state.attachments.columns.filter { !isReserved($0) }
    let new = witness.columns.filter { !known.contains($0) }
    if let column = new.first(where: isReserved) {
      throw SyncError.cannotHoldReferences(column.field, of: column.collection)
    }
    attachmentFields = Self.fields(of: known + new)
    guard !isReadOnly, !new.isEmpty else { return }
    try checkWritable()
    do {
      let fields = Self.fields(of: new)
      for collection in fields.keys.sorted() {
        try register(fields[collection] ?? [], in: collection)
      }
    } catch {
      discard()
      throw error
    }
    transaction.begin(JournalKind.attachment)
    transaction.add(AttachmentTable.columnsReference)
    transaction.add(json: AttachmentColumn.json(known + new))
    transaction.end()
    try commit()
  }

  /// The fields of a collection that this client declares.
  package nonisolated func declaredAttachmentFields(of collection: String) -> [String] {
    witness.columns.filter { $0.collection == collection }.map(\.field)
  }

  /// No longer looks for references in what has turned out to be the id or the date of a collection.
  func dropReservedFields(of collection: String) {
    guard let place = state.place(of: collection) else { return }
    let reserved = state[place].rules.uncounted
    attachmentFields[collection]?.removeAll { reserved.contains($0) }
  }

  /// Whether the field is the id or the date of its collection, as far as that is known.
  private func isReserved(_ column: AttachmentColumn) -> Bool {
    guard let place = state.place(of: column.collection) else { return false }
    return state[place].rules.uncounted.contains(column.field)
  }

  private func register(_ fields: [String], in collection: String) throws {
    guard let place = state.place(of: collection) else { return }
    let reader = reader(of: place)
    for slot in reader.collection.index.slots where reader.collection.index[slot].isPresent {
      let draft = try reader.draft(at: slot)
      ledger.note(fields, from: nil, to: draft, in: collection, by: .pull)
    }
  }

  /// The names of the fields by collection.
  static func fields(of columns: [AttachmentColumn]) -> [String: [String]] {
    Dictionary(grouping: columns, by: \.collection).mapValues { $0.map(\.field) }
  }
}
