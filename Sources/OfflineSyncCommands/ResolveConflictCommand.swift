package import OfflineSync

/// Settles a conflict for one side.
package struct ResolveConflictCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "resolve-conflict",
    "settles a conflict: the side that stands",
    [
      .option("state", value: "S"), .operand("COLLECTION"), .operand("ID"),
      .operand("local|remote"),
    ]
  )

  /// Where the store lies.
  package let state: String
  /// The collection.
  package let collection: String
  /// The record.
  package let id: RecordID
  /// The side that stands.
  package let resolution: ConflictResolution

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    collection = try arguments.required(at: 0)
    id = RecordID(try arguments.required(at: 1))
    resolution =
      switch try arguments.required(at: 2) {
      case "local": .local
      case "remote": .remote
      case let side: throw arguments.mistake("the side is local or remote, not \"\(side)\"")
      }
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.writing(state).run { client in
      let conflicts = try await client.store.conflicts(in: collection)
      // The record's present id, should the one given be what it had before.
      let present = try await client.store.record(id, in: collection)?.id ?? id
      guard let conflict = conflicts.first(where: { $0.id == present }) else {
        throw SyncError(.recordNotFound, "\(collection) has no conflict of \(id)")
      }
      try await client.store.resolve(conflict, with: resolution)
    }
    return .good
  }
}
