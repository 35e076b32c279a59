package import OfflineSync

/// Bars on a terminal, one line a sync and a transfer under way, drawn anew with every status.
package struct ProgressBars: Sendable {
  private static let width = 24
  private static let nameWidth = 20

  /// What a line is about.
  private enum Subject: Equatable {
    case sync(SyncID)
    case attachment(String)
  }

  private struct Line {
    var subject: Subject
    var text: String
    /// Whether another attachment may have the line: its own has ended.
    var isFree = false
  }

  /// How far something is.
  private struct Level {
    var percent: Int
    /// What the whole is; empty: not known.
    var total: String
  }

  private let usesColor: Bool
  private var lines: [Line] = []

  package init(usesColor: Bool) { self.usesColor = usesColor }

  /// What to write so that the terminal shows the status: back over the bars, then all of them.
  package mutating func show(_ state: SyncState) -> String {
    let total = state.totalSize < 0 ? "" : " of \(state.totalSize)"
    let text = bar(
      state.label,
      Level(percent: state.progress, total: total),
      colored("\(state.status)", Self.color(of: state.status))
    )
    return draw(Line(subject: .sync(state.id), text: text))
  }

  /// The same for an attachment; nothing unless it is, or was just now, on its way.
  ///
  /// One that is done gives its line to the next, so that there are as many as transfers side by side.
  package mutating func show(_ update: AttachmentUpdate) -> String {
    let status = update.status
    let subject = Subject.attachment(update.reference)
    let isMoving = status.state == .uploading || status.state == .downloading
    guard isMoving || lines.contains(where: { $0.subject == subject && !$0.isFree }) else {
      return ""
    }
    let total = status.byteCount.map { " of \($0) bytes" } ?? ""
    let text = bar(
      (update.reference.split(separator: "/").last.map(String.init) ?? update.reference).shown,
      Level(percent: Self.percent(of: status), total: total),
      colored("\(status.state)", Self.color(of: status.state))
    )
    return draw(Line(subject: subject, text: text, isFree: !isMoving))
  }

  private mutating func draw(_ line: Line) -> String {
    let back = lines.isEmpty ? "" : "\u{1B}[\(lines.count)A"
    let isAttachment = if case .attachment = line.subject { true } else { false }
    let place =
      lines.firstIndex { $0.subject == line.subject }
      ?? lines.firstIndex { isAttachment && $0.isFree }
    if let place { lines[place] = line } else { lines.append(line) }
    return back + lines.map { "\r\u{1B}[2K\($0.text)\n" }.joined()
  }

  private func bar(_ name: String, _ level: Level, _ status: String) -> String {
    let full = min(Self.width, max(0, level.percent * Self.width / 100))
    let bar =
      String(repeating: "#", count: full) + String(repeating: "-", count: Self.width - full)
    let percent = String(repeating: " ", count: max(0, 3 - "\(level.percent)".count))
    return "\(Self.fitted(name)) [\(bar)] \(percent)\(level.percent) %\(level.total) \(status)"
  }

  /// How much of it the server has, or is here.
  private static func percent(of status: AttachmentStatus) -> Int {
    if status.state == .synced { return 100 }
    guard let byteCount = status.byteCount, byteCount > 0 else { return 0 }
    return min(100, Int(Double(status.progress) / Double(byteCount) * 100))
  }

  /// The name in the width of its column.
  private static func fitted(_ name: String) -> String {
    name.count > nameWidth
      ? name.prefix(nameWidth - 1) + "…"
      : name + String(repeating: " ", count: nameWidth - name.count)
  }

  private func colored(_ text: String, _ color: Int?) -> String {
    guard usesColor, let color else { return text }
    return "\u{1B}[\(color)m\(text)\u{1B}[0m"
  }

  private static func color(of status: SyncStatus) -> Int? {
    switch status {
    case .done: 32
    case .failed: 31
    case .stopped: 33
    case .new, .running: nil
    }
  }

  private static func color(of state: AttachmentState) -> Int? {
    switch state {
    case .synced: 32
    case .failed: 31
    case .queued, .uploading, .downloading, .orphaned, .evicted, .missing: nil
    }
  }
}
