package import OfflineSync

/// Lists the records of a collection, or shows one.
package struct RecordsCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "records",
    "lists the records of a collection",
    [
      .option("state", value: "S"), .operand("COLLECTION"), .optionalOperand("ID"),
      .flag("dirty"), .flag("json"),
    ]
  )

  /// Where the store lies.
  package let state: String
  /// The collection.
  package let collection: String
  /// The only record to show; nil: all.
  package let id: RecordID?
  /// Whether only records that were changed here are listed.
  package let onlyDirty: Bool
  /// Whether programs read the answer.
  package let asJSON: Bool

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    collection = try arguments.required(at: 0)
    id = arguments.operand(at: 1).map { RecordID($0) }
    onlyDirty = arguments.has("dirty")
    asJSON = arguments.has("json")
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.reading(state, output) { client in
      let records: [StoredRecord]
      if let id {
        guard let record = try await client.store.record(id, in: collection) else {
          throw SyncError(.recordNotFound, "\(collection) has no record \(id)")
        }
        records = [record].filter { !onlyDirty || $0.change != nil }
      } else {
        records = try await client.store.records(
          in: collection,
          matching: onlyDirty ? .dirty : nil
        )
      }
      var text = ""
      for record in records {
        text += (asJSON ? Self.json(record) : Self.describe(record)) + "\n"
        // Many lines in one call, but never the whole collection once more in memory.
        if text.utf8.count > 1 << 16 {
          try output.write(text)
          text = ""
        }
      }
      try output.write(text)
    }
  }

  private static func json(_ stored: StoredRecord) -> String {
    var line = JSONLine()
    line.add("id", stored.id.token)
    line.add("change", .orNull(stored.change?.rawValue))
    line.add("record", record: stored.record)
    line.add("lastError", stored.lastError?.json)
    return line.text
  }

  private static func describe(_ stored: StoredRecord) -> String {
    var text = stored.id.text.shown
    if let change = stored.change { text += " (\(change))" }
    text += ": \(stored.record.json.shown)"
    if let error = stored.lastError {
      text += "\n    error: " + "\(error.code): \(error.message)".shown
    }
    return text
  }
}
