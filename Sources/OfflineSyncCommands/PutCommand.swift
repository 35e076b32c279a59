package import OfflineSync

/// Creates or replaces a record here.
package struct PutCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "put",
    "stores the record on standard input, and prints its id",
    [.option("state", value: "S"), .operand("COLLECTION"), .optionalOperand("ID")]
  )

  /// Where the store lies.
  package let state: String
  /// The collection.
  package let collection: String
  /// The record to replace, or to create under this id; nil: the one that the body names.
  package let id: RecordID?

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    collection = try arguments.required(at: 0)
    id = arguments.operand(at: 1).map { RecordID($0) }
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    // Before the store is opened: nobody has to wait while somebody types.
    let record = try Record(json: SystemFileSystem.StandardStream.input.readToEnd())
    let stored = try await ClientSession.writing(state).run { client in
      try await put(record, in: client.store)
    }
    try output.value(stored.text)
    return .good
  }

  private func put(_ record: Record, in store: Store) async throws -> RecordID {
    if let id {
      do {
        try await store.update(record, id: id, in: collection)
        return id
      } catch let error as SyncError where error.code == .recordNotFound {
        var record = record
        let field = await store.idField(of: collection)
        if record.id(field: field) == nil { record[field] = id.token }
        guard record.id(field: field) == id else {
          throw SyncError(.recordMalformed, "the record's \(field) is not \(id)")
        }
        return try await store.create(record, in: collection)
      }
    }
    do {
      return try await store.create(record, in: collection)
    } catch let error as SyncError where error.code == .recordExists {
      guard let id = error.record else { throw error }
      try await store.update(record, id: id, in: collection)
      return id
    }
  }
}
