import OfflineSync

/// Deletes what no record names any more.
package struct VacuumCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "vacuum",
    "deletes the objects and the bytes of attachments that no record names any more",
    [.option("config", value: "C"), .option("state", value: "S")]
  )

  /// The configuration file.
  package let config: String
  /// Where the store lies.
  package let state: String

  package init(_ arguments: Arguments) throws {
    config = try arguments.required("config")
    state = try arguments.required("state")
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let configuration = try ConfigurationSource(config)
    return try await ClientSession.writing(state, configuration).run { client in
      let report = try await client.attachments.vacuum()
      try output.line(Self.describe(report))
      guard report.failures > 0 || report.rowsEvicted > 0 else { return .good }
      for update in try await client.attachments.statuses() where update.status.state == .orphaned {
        update.complain(output)
      }
      return .failed
    }
  }

  private static func describe(_ report: VacuumReport) -> String {
    let counts = [
      ("objects deleted", report.objectsDeleted), ("rows removed", report.rowsRemoved),
      ("rows evicted", report.rowsEvicted), ("failures", report.failures),
    ]
    return (counts.map { "\($1) \($0)" } + ["\(report.bytesFreed) bytes freed"])
      .joined(separator: ", ")
  }
}
