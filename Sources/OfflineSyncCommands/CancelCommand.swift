import OfflineSync

/// Takes an attachment out of the queue until the next run.
package struct CancelCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "cancel",
    "ends what is under way for an attachment, until the next run",
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
      try await client.attachments.cancel(reference)
      return .good
    }
  }
}
