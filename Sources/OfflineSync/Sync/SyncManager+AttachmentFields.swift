extension SyncManager {
  /// Throws unless every attachment field of the collection can hold references, and a push may send it:
  /// without the reference no server would ever know of the bytes.
  ///
  /// Throws CONFIG_INVALID.
  func checkAttachmentFields(of plan: SyncRow.Plan, _ direction: SyncDirection) throws {
    let fields = store.declaredAttachmentFields(of: plan.collection)
    if let field = fields.first(where: { $0 == plan.idField || $0 == plan.dateField }) {
      throw SyncError.cannotHoldReferences(field, of: plan.collection)
    }
    guard direction == .syncUp else { return }
    let options = plan.options
    let lists = [
      ("create", options.createFieldlist ?? options.fieldlist),
      ("update", options.updateFieldlist ?? options.fieldlist),
    ]
    for field in fields {
      for (kind, list) in lists where list.map({ !$0.contains(field) }) == true {
        var error = SyncError(
          .configInvalid,
          "fieldlist: what a push may send of a \(kind) lacks the attachment field \(field)"
        )
        error.collection = plan.collection
        throw error
      }
    }
  }
}

extension SyncError {
  /// An attachment field that is the record's id or date.
  static func cannotHoldReferences(_ field: String, of collection: String) -> SyncError {
    var error = SyncError(
      .configInvalid,
      "\(field) of \(collection) is its id or modification date, and can hold no attachments"
    )
    error.collection = collection
    return error
  }
}
