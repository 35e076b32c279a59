import OfflineSync

/// Deletes a sync, which a configuration does not name any more.
package struct ForgetCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "forget",
    "deletes a sync, whose records and changes stay",
    [.option("state", value: "S"), .operand("NAME")]
  )

  /// Where the store lies.
  package let state: String
  /// The sync.
  package let name: String

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    name = try arguments.required(at: 0)
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.writing(state).run { client in
      guard let sync = await client.manager.getSyncStatus(name) else {
        throw SyncError(.syncNotFound, "there is no sync \(name)")
      }
      try await client.manager.deleteSync(sync.id)
      let collection = sync.collection
      let way = sync.direction == .syncDown ? "down to" : "up from"
      try output.line("forgot \(name.shown), \(way) \(collection.shown): its records stay")
      let others = await client.manager.syncs.contains {
        $0.direction == .syncUp && ByteText($0.collection) == ByteText(collection)
      }
      let count = try await client.store.pendingCount(in: collection)
      if sync.direction == .syncUp, !others, count > 0 {
        let records = count == 1 ? "1 change waits" : "\(count) changes wait"
        try output.line("\(collection.shown): \(records) for another sync that takes them up")
      }
      return .good
    }
  }
}
