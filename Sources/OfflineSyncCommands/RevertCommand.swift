package import OfflineSync

/// Takes back what was changed here of one record.
package struct RevertCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "revert",
    "takes back what was changed here",
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
      try await client.store.revert(id, in: collection)
    }
    return .good
  }
}
