import OfflineSync

/// Fetches the bytes of an attachment.
package struct ResolveCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "resolve",
    "fetches an attachment unless it is here, and prints its local path",
    [.option("config", value: "C"), .option("state", value: "S"), .operand("REF")]
  )

  /// The configuration file.
  package let config: String
  /// Where the store lies.
  package let state: String
  /// The attachment.
  package let reference: String

  package init(_ arguments: Arguments) throws {
    config = try arguments.required("config")
    state = try arguments.required("state")
    reference = try arguments.required(at: 0)
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let configuration = try ConfigurationSource(config)
    return try await ClientSession.writing(state, configuration).run { client in
      guard let path = try await client.attachments.resolve(reference) else {
        try await client.attachments.existing(reference).complain(output)
        return .failed
      }
      try output.value(path)
      return .good
    }
  }
}
