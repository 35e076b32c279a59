import OfflineSync

/// Deletes local records that the server no longer has.
package struct GhostsCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "ghosts",
    "deletes clean records that the remote no longer has",
    [
      .option("config", value: "C"), .option("state", value: "S"), .operand("NAME"),
      .flag("unlimited"), .flag("json"),
    ]
  )

  /// The configuration file.
  package let config: String
  /// Where the store lies.
  package let state: String
  /// The sync.
  package let name: String
  /// Whether suspiciously many may be deleted, too.
  package let isUnlimited: Bool
  /// Whether programs read the answer.
  package let asJSON: Bool

  package init(_ arguments: Arguments) throws {
    config = try arguments.required("config")
    state = try arguments.required("state")
    name = try arguments.required(at: 0)
    isUnlimited = arguments.has("unlimited")
    asJSON = arguments.has("json")
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let configuration = try ConfigurationSource(config)
    let removed = try await ClientSession.writing(state, configuration).run { client in
      try await configuration.setUp(client.manager, state: state)
      return try await client.manager.cleanResyncGhosts(
        name,
        limit: isUnlimited ? .unlimited : .default
      )
    }
    try output.line(asJSON ? JSON.object(["removed": JSON(removed)]).text : "\(removed)")
    return .good
  }
}
