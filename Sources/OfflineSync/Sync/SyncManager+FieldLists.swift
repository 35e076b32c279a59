extension SyncManager {
  /// Throws unless a push may send every attachment field of its collection: without the reference no
  /// server would ever know of the bytes.
  ///
  /// Throws CONFIG_INVALID.
  func checkFieldLists(of plan: SyncRow.Plan, _ direction: SyncDirection) throws {
    guard direction == .syncUp else { return }
    let options = plan.options
    let lists = [
      ("create", options.createFieldlist ?? options.fieldlist),
      ("update", options.updateFieldlist ?? options.fieldlist),
    ]
    for field in store.declaredAttachmentFields(of: plan.collection) {
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
