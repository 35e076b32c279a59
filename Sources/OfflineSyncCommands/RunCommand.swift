import OfflineSync

/// Sets up the syncs of a configuration file, and runs them.
package struct RunCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "run",
    "sets up the syncs of a configuration and runs one round, or those named",
    [
      .option("config", value: "C"), .option("state", value: "S"), .operands("NAME"),
      .flag("json"),
    ]
  )

  /// The configuration file.
  package let config: String
  /// Where the store lies.
  package let state: String
  /// The syncs to run; empty: one round of all.
  package let names: [String]
  /// Whether programs read the answer.
  package let asJSON: Bool

  package init(_ arguments: Arguments) throws {
    config = try arguments.required("config")
    state = try arguments.required("state")
    names = arguments.operands(from: 0)
    asJSON = arguments.has("json")
  }

  /// What has ended.
  private enum Part: Sendable {
    case work(RunReport)
    case printing
    case listening
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let configuration = try ConfigurationSource(config)
    SystemFileSystem.Process.rememberInterrupts()
    let client = try await ClientSession.writing(state, configuration).open()
    let known = await client.manager.syncs
    let statuses = await client.manager.watch()
    let attachments = await client.attachments.watchAll()
    let report = try await withThrowingTaskGroup(of: Part.self) { group in
      group.addTask { .work(try await work(client, configuration)) }
      group.addTask {
        let style: StatusPrinter.Style = asJSON ? .json : output.isTerminal ? .bars : .endings
        let printer = StatusPrinter(style, output, known: known)
        // Ends with the streams: closing the client ends them after their last values.
        try await printer.print(statuses, attachments)
        return .printing
      }
      group.addTask {
        await stopAtInterrupt(client)
        return .listening
      }
      var report = RunReport()
      var isPrinting = true
      var isWorking = true
      while isWorking || isPrinting, let part = try await group.next() {
        switch part {
        case .work(let whole): (report, isWorking) = (whole, false)
        case .printing: isPrinting = false
        case .listening: break
        }
      }
      group.cancelAll()
      return report
    }
    return try finish(report, output)
  }

  /// Sets up and runs the syncs, and closes the client.
  private func work(
    _ client: SyncClient,
    _ configuration: ConfigurationSource
  ) async throws -> RunReport {
    try await ClientSession.closing(client) { client in
      let configured = try await configuration.setUp(client.manager, state: state)
      var report =
        names.isEmpty ? try await round(client, configured) : try await runNamed(client)
      let known = configured.union(names.map { ByteText($0) })
      report.unconfigured = await client.manager.syncs.compactMap(\.name)
        .filter { !known.contains(ByteText($0)) }
      try await report.look(at: client.store)
      return report
    }
  }

  /// Runs the syncs of the configuration, and no others that the store has.
  private func round(
    _ client: SyncClient,
    _ configured: Set<ByteText>
  ) async throws -> RunReport {
    let before = try await client.attachments.statuses()
    do {
      var report = RunReport(try await client.sync { configured.contains(ByteText($0)) })
      let known = Dictionary(before.map { (ByteText($0.reference), $0.status) }) { $1 }
      report.failedAttachments = try await client.attachments.statuses().filter { update in
        let status = update.status
        return status.state == .failed
          && (status.permanent || status != known[ByteText(update.reference)])
      }
      return report
    } catch let error as SyncError where error.code == .syncManagerStopped {
      var report = RunReport()
      report.refusals = [error]
      return report
    }
  }

  /// Runs the named syncs one after another, in the order of the names.
  private func runNamed(_ client: SyncClient) async throws -> RunReport {
    var report = RunReport()
    for name in names {
      do {
        report.syncs.append(try await client.manager.reSync(name))
      } catch let error as SyncError {
        report.refusals.append(error)
      }
    }
    let collections = report.collections
    report.parkedRecords = try await client.store.parkedRecords().filter {
      collections.contains(ByteText($0.collection))
    }
    return report
  }

  /// Waits for an interrupt, then stops all runs and transfers; ends when it is cancelled.
  private func stopAtInterrupt(_ client: SyncClient) async {
    let environment = client.store.environment
    while SystemFileSystem.Process.interrupt == nil {
      guard await environment.pause(for: .milliseconds(50)) else { return }
    }
    await client.manager.stop()
    await client.attachments.close()
  }

  private func finish(_ report: RunReport, _ output: Output) throws -> ExitStatus {
    if asJSON {
      try output.line(report.json.text)
    } else {
      let lines = report.notes(state: state, configuration: config) + [report.summary]
      try output.line(lines.joined(separator: "\n"))
    }
    report.complain(output)
    if let signal = SystemFileSystem.Process.interrupt {
      output.error(.syncManagerStopped, "ended by \(signal)")
      return .failed
    }
    return report.succeeded ? .good : .failed
  }
}
