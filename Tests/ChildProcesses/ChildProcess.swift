import Foundation
import Synchronization

/// A program that runs as a process of its own.
///
/// A thread of its own waits for its end with the kernel's call: Foundation's `Process` now and then
/// misses an end when several come at once, and waits for ever. The process starts with no signal
/// blocked or ignored, whatever the thread that starts it blocks.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Sendable, Equatable {
    /// With an exit status.
    case exited(Int32)
    /// By a signal.
    case killed(by: Int32)
  }

  /// What one of its standard streams is.
  package enum Stream: Sendable {
    /// A file, which is made and emptied if it is written.
    case file(String)
    /// An open descriptor of this process.
    case descriptor(Int32)
  }

  private struct State {
    var ending: Ending?
    var waiting: [CheckedContinuation<Ending, Never>] = []
  }

  private let id: pid_t
  private let state = Mutex(State())

  /// Starts a program.
  ///
  /// - Throws: `POSIXError` when it cannot be started.
  package init(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    directory: String,
    input: Stream,
    output: Stream,
    errors: Stream
  ) throws {
    id = try SpawnCall(program, arguments, environment, directory, [input, output, errors]).run()
    Thread.detachNewThread { self.watch() }
  }

  /// Sends a signal to it, unless it has ended.
  package func send(_ signal: Int32) {
    state.withLock { state in
      // Not yet waited for, the id is its own.
      if state.ending == nil { kill(id, signal) }
    }
  }

  /// Waits for its end; ends it when the caller's task is cancelled.
  package func ending() async -> Ending {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ending = state.withLock { state in
          if state.ending == nil { state.waiting.append(continuation) }
          return state.ending
        }
        if let ending { continuation.resume(returning: ending) }
      }
    } onCancel: {
      send(SIGKILL)
    }
  }

  private func watch() {
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let (ending, waiting) = state.withLock { state in
      var status: Int32 = 0
      while unsafe waitpid(id, &status, 0) == -1, errno == EINTR {}
      let signal = status & 0x7f
      let ending = signal == 0 ? Ending.exited(status >> 8 & 0xff) : .killed(by: signal)
      defer { state.waiting = [] }
      state.ending = ending
      return (ending, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: ending) }
  }
}
