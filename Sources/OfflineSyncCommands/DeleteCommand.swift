package import OfflineSync

/// Deletes a record here; the next push deletes it on the server.
package struct DeleteCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "delete",
    "deletes a record here",
    [.option("state", value: "S"), .operand("COLLECTION"), .operand("ID")]
  )

  /// Where the store lies.
  package let state: String
  /// The collection.
  package let collection: String
  /// The record.
  package let id: RecordID

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    collection = try arguments.required(at: 0)
    id = RecordID(try arguments.required(at: 1))
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.writing(state).run { client in
      try await client.store.delete(id, in: collection)
    }
    return .good
  }
}
