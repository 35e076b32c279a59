import OfflineSync

/// Shows the statuses of syncs and attachments as another process, or the next one, changes them.
package struct WatchCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "watch",
    "shows every status as it comes, until it is interrupted",
    [.option("state", value: "S")]
  )

  /// Where the store lies.
  package let state: String

  package init(_ arguments: Arguments) throws { state = try arguments.required("state") }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.reading(state, output) { client in
      // Before all else: it may go on for long.
      if let damage = await client.store.damage { output.error(damage) }
      let printer = StatusPrinter(output.isTerminal ? .bars : .lines, output)
      try await printer.print(client.manager.watch(), client.attachments.watchAll())
    }
  }
}
