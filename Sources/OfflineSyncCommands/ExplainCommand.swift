package import OfflineSync

/// Says why a record is as it is.
package struct ExplainCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "explain",
    "says why a record is as it is",
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
    try await ClientSession.reading(state, output) { client in
      try output.line(try await client.store.explain(id, in: collection).description)
    }
  }
}
