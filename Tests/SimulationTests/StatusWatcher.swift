import OfflineSync
import Synchronization

/// Watches the syncs of one process, and says where a sequence of statuses is none that may be.
final class StatusWatcher: Sendable {
  private struct State {
    var last: [SyncID: SyncState] = [:]
    var problems: [String] = []
    var count = 0
  }
  private let state = Mutex(State())
  private let device: String

  init(of device: String) { self.device = device }

  /// What was wrong.
  var problems: [String] { state.withLock { $0.problems } }
  /// How many statuses came.
  var count: Int { state.withLock { $0.count } }

  /// Watches until the stream ends or the task is cancelled.
  func watch(_ stream: AsyncStream<SyncState>) async {
    for await status in stream {
      state.withLock { state in
        state.count += 1
        let last = state.last.updateValue(status, forKey: status.id)
        for problem in Self.problems(last, status) {
          state.problems.append("\(device) \(status.name ?? "?"): \(problem)")
        }
      }
    }
  }

  private static func problems(_ last: SyncState?, _ new: SyncState) -> [String] {
    var problems: [String] = []
    func demand(_ holds: Bool, _ text: String) {
      if !holds { problems.append("\(text): \(told(last)), then \(told(new))") }
    }
    if let last {
      demand(last != new, "the same status twice")
      // Cleaning ghosts changes no status, but says that none are left.
      let isCleaned = new.status == last.status && last.ghostsAdvised && !new.ghostsAdvised
      demand(isCleaned || follows(new.status, last.status), "a status that cannot follow")
    } else {
      demand(new.status != .running, "running before it was started")
    }
    switch new.status {
    case .new: break
    case .running:
      demand(new.error == nil && new.errorCode == nil, "an error of a sync that runs")
      demand((0...100).contains(new.progress), "progress of a sync that runs")
      if let last, last.status == .running {
        // A fetch whose cursor has expired starts over.
        demand(new.progress >= last.progress || new.ghostsAdvised, "progress went back")
      } else {
        demand(new.progress == 0 && new.totalSize == -1, "a beginning that is none")
      }
    case .done:
      demand(new.progress == 100, "progress of a sync that is done")
      demand(new.error == nil && new.errorCode == nil, "an error of a sync that is done")
      demand(new.endTime >= new.startTime, "an end before its start")
    case .failed:
      demand(new.errorCode != nil, "no error of a sync that failed")
      demand(new.endTime >= new.startTime, "an end before its start")
    case .stopped: demand(new.endTime >= new.startTime, "an end before its start")
    }
    return problems
  }

  private static func follows(_ new: SyncStatus, _ old: SyncStatus) -> Bool {
    switch (old, new) {
    case (_, .running): true
    case (.running, .done), (.running, .failed), (.running, .stopped): true
    default: false
    }
  }

  private static func told(_ state: SyncState?) -> String {
    guard let state else { return "nothing" }
    return "\(state.status) \(state.progress)/\(state.totalSize) \(state.errorCode ?? "")"
  }
}
