import OfflineSync

/// Lists the conflicts of a collection.
package struct ConflictsCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "conflicts",
    "lists the records that were changed on both sides",
    [.option("state", value: "S"), .operand("COLLECTION"), .flag("json")]
  )

  /// Where the store lies.
  package let state: String
  /// The collection.
  package let collection: String
  /// Whether programs read the answer.
  package let asJSON: Bool

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    collection = try arguments.required(at: 0)
    asJSON = arguments.has("json")
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.reading(state, output) { client in
      let conflicts = try await client.store.conflicts(in: collection)
      for conflict in conflicts {
        try output.line(asJSON ? Self.json(conflict) : Self.describe(conflict))
      }
      if conflicts.isEmpty, !asJSON { try output.line("\(collection.shown) has no conflicts") }
    }
  }

  private static func json(_ conflict: Conflict) -> String {
    var line = JSONLine()
    line.add("id", conflict.id.token)
    line.add("collection", .string(conflict.collection))
    line.add("foundAt", .int64(conflict.foundAt))
    line.add("fields", .array(conflict.fields.map(JSON.string)))
    line.add("base", record: conflict.base)
    line.add("local", record: conflict.local)
    line.add("remote", record: conflict.remote)
    line.add("isRemoteDeleted", .bool(conflict.isRemoteDeleted))
    return line.text
  }

  private static func describe(_ conflict: Conflict) -> String {
    let fields =
      conflict.fields.isEmpty ? "" : ", in \(conflict.fields.joined(separator: ", ").shown)"
    let remote = conflict.isRemoteDeleted ? "deleted" : conflict.remote?.json.shown ?? "not known"
    return """
      \(conflict.id.text.shown): since \(DateText.text(conflict.foundAt))\(fields)
          base:   \(conflict.base?.json.shown ?? "none, created on both sides")
          local:  \(conflict.local?.json.shown ?? "deleted")
          remote: \(remote)
      """
  }
}
