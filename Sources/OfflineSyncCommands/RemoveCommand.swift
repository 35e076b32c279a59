import OfflineSync

/// Forgets an attachment.
package struct RemoveCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "remove",
    "forgets an attachment, and prints the path of the bytes it released",
    [.option("state", value: "S"), .operand("REF")]
  )

  /// Where the store lies.
  package let state: String
  /// The attachment.
  package let reference: String

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    reference = try arguments.required(at: 0)
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.writing(state).run { client in
      // Says that there is none.
      _ = try await client.attachments.existing(reference)
      if let path = try await client.attachments.remove(reference) { try output.value(path) }
      return .good
    }
  }
}
