package import OfflineSync

/// Lists the syncs.
package struct StatusCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "status",
    "lists the syncs and how their last runs ended",
    [.option("state", value: "S"), .optionalOption("status", value: "STATUS"), .flag("json")]
  )

  /// Where the store lies.
  package let state: String
  /// The only status to list; nil: all.
  package let status: SyncStatus?
  /// Whether programs read the answer.
  package let asJSON: Bool

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    asJSON = arguments.has("json")
    status = try arguments.value(of: "status").map { text in
      guard let status = SyncStatus(rawValue: text) else {
        let known = SyncStatus.allCases.map(\.rawValue).joined(separator: ", ")
        throw arguments.mistake("--status is one of \(known), not \"\(text)\"")
      }
      return status
    }
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.reading(state, output) { client in
      let syncs =
        if let status {
          await client.manager.getSyncsWithStatus(status)
        } else {
          await client.manager.syncs
        }
      for sync in syncs { try output.line(asJSON ? sync.json.text : Self.describe(sync)) }
      if syncs.isEmpty, !asJSON {
        try output.line(status.map { "no sync is \($0.rawValue)" } ?? "there are no syncs")
      }
    }
  }

  private static func describe(_ sync: SyncState) -> String {
    let total = sync.totalSize < 0 ? "?" : "\(sync.totalSize)"
    let way = sync.direction == .syncDown ? "down to" : "up from"
    var lines = [
      "\(sync.label): \(sync.status), \(sync.progress) % of \(total), \(way) \(sync.collection.shown)"
    ]
    if sync.status != .new { lines.append("last run: \(sync.counts.summary)") }
    if sync.maxTimeStamp >= 0 {
      lines.append("newest record: \(DateText.text(sync.maxTimeStamp))")
    }
    if sync.nextAttempt > 0 { lines.append("next attempt: \(DateText.text(sync.nextAttempt))") }
    if sync.ghostsAdvised { lines.append("ghosts should be cleaned: deletions may be missing") }
    if let code = sync.errorCode {
      lines.append("error: \(code.shown): \((sync.error ?? "").shown)")
    }
    for problem in sync.problems {
      let failure = problem.failure
      lines.append("problem: " + "\(problem.name): \(failure.code): \(failure.message)".shown)
    }
    return lines.joined(separator: "\n    ")
  }
}
