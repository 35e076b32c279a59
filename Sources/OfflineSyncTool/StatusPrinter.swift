import OfflineSync

/// Prints the statuses of syncs as they come.
struct StatusPrinter: Sendable {
  /// How they are printed.
  enum Style: Sendable {
    /// One JSON line a status.
    case json
    /// Bars, drawn over.
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

  /// Prints until the stream ends.
  mutating func print(_ states: AsyncStream<SyncState>) async throws {
    for await state in states { try print(state) }
  }

  /// Prints one status, unless it says what the one before it said.
  private mutating func print(_ state: SyncState) throws {
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

  /// What a status says of how far a sync is.
  private static func essence(_ state: SyncState) -> [Int] {
    let status = SyncStatus.allCases.firstIndex(of: state.status) ?? 0
    return [status, state.progress, state.totalSize]
  }
}
