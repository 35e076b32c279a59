package import OfflineSync

/// Bars on a terminal, one line a sync, drawn anew with every status.
package struct ProgressBars: Sendable {
  private static let width = 24
  private static let nameWidth = 20

  private let usesColor: Bool
  private var syncs: [(id: SyncID, line: String)] = []

  package init(usesColor: Bool) { self.usesColor = usesColor }

  /// What to write so that the terminal shows the status: back over the bars, then all of them.
  package mutating func show(_ state: SyncState) -> String {
    let back = syncs.isEmpty ? "" : "\u{1B}[\(syncs.count)A"
    let line = bar(of: state)
    if let index = syncs.firstIndex(where: { $0.id == state.id }) {
      syncs[index].line = line
    } else {
      syncs.append((state.id, line))
    }
    return back + syncs.map { "\r\u{1B}[2K\($0.line)\n" }.joined()
  }

  private func bar(of state: SyncState) -> String {
    let full = min(Self.width, max(0, state.progress * Self.width / 100))
    let bar =
      String(repeating: "#", count: full) + String(repeating: "-", count: Self.width - full)
    let percent = String(repeating: " ", count: max(0, 3 - "\(state.progress)".count))
    let total = state.totalSize < 0 ? "" : " of \(state.totalSize)"
    let status = colored(state.status)
    return "\(Self.fitted(state.label)) [\(bar)] \(percent)\(state.progress) %\(total) \(status)"
  }

  /// The name in the width of its column.
  private static func fitted(_ name: String) -> String {
    name.count > nameWidth
      ? name.prefix(nameWidth - 1) + "…"
      : name + String(repeating: " ", count: nameWidth - name.count)
  }

  private func colored(_ status: SyncStatus) -> String {
    guard usesColor else { return status.rawValue }
    switch status {
    case .done: return "\u{1B}[32m\(status)\u{1B}[0m"
    case .failed: return "\u{1B}[31m\(status)\u{1B}[0m"
    case .stopped: return "\u{1B}[33m\(status)\u{1B}[0m"
    case .new, .running: return status.rawValue
    }
  }
}
