import OfflineSync

/// Forgives an attachment its failed attempts.
package struct RetryCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "retry",
    "lets an attachment be tried again, whatever has failed before",
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
      try await client.attachments.retry(reference)
      return .good
    }
  }
}
