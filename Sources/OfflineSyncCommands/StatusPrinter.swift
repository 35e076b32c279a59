import OfflineSync

/// Prints the statuses of syncs and attachments as they come.
actor StatusPrinter {
  /// How they are printed.
  enum Style: Sendable {
    /// One JSON line a status of a sync.
    case json
    /// Bars, drawn over, of syncs and of transfers under way.
    case bars
    /// One line a status.
    case lines
    /// One line for each run, when it has ended.
    case endings
  }

  private let style: Style
  private let output: Output
  private var shown: [SyncID: [Int]] = [:]
  private var bars: ProgressBars

  /// A printer that takes the known states as printed: they were there before.
  init(_ style: Style, _ output: Output, known: [SyncState] = []) {
    self.style = style
    self.output = output
    bars = ProgressBars(usesColor: output.usesColor)
    for state in known { shown[state.id] = Self.essence(state) }
  }

  /// Prints both until the streams end, or nobody takes what is printed.
  nonisolated func print(
    _ states: AsyncStream<SyncState>,
    _ updates: AsyncStream<AttachmentUpdate>
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { for await state in states { try await self.print(state) } }
      group.addTask { for await update in updates { try await self.print(update) } }
      // Not `waitForAll`, which would tell of an error only when the other stream has ended.
      while try await group.next() != nil {}
    }
  }

  /// Prints one status, unless it says what the one before it said.
  private func print(_ state: SyncState) throws {
    let essence = Self.essence(state)
    guard shown.updateValue(essence, forKey: state.id) != essence else { return }
    switch style {
    case .json:
      let line: JSON = [
        "event": "sync", "name": .orNull(state.name), "status": .string(state.status.rawValue),
        "progress": JSON(state.progress), "totalSize": JSON(state.totalSize),
      ]
      try output.line(line.text)
    case .bars: try output.write(bars.show(state))
    case .lines:
      try output.line("\(state.label): \(state.status) \(state.progress)/\(state.totalSize)")
    case .endings:
      guard state.status != .new, state.status != .running else { return }
      try output.line("\(state.label): \(state.status), \(state.counts.summary)")
    }
  }

  private func print(_ update: AttachmentUpdate) throws {
    switch style {
    case .bars: try output.write(bars.show(update))
    case .lines:
      let total = update.status.byteCount.map { "\($0)" } ?? "?"
      try output.line(
        "\(update.reference.shown): \(update.status.state) \(update.status.progress)/\(total)"
      )
    case .json, .endings: return
    }
  }

  /// What a status says of how far a sync is.
  private static func essence(_ state: SyncState) -> [Int] {
    let status = SyncStatus.allCases.firstIndex(of: state.status) ?? 0
    return [status, state.progress, state.totalSize]
  }
}
