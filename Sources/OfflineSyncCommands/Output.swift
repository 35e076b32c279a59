import OfflineSync

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where results and errors go: the standard streams of this process.
package struct Output: Sendable {
  /// Whether results may be drawn over: a terminal that can move its cursor.
  let isTerminal: Bool
  /// Whether results may be coloured.
  let usesColor: Bool

  init() {
    let environment = ProcessInfo.processInfo.environment
    isTerminal =
      SystemFileSystem.StandardStream.output.isTerminal && environment["TERM"] != "dumb"
    usesColor = isTerminal && environment["NO_COLOR"] ?? "" == ""
  }

  /// Writes results as they are.
  func write(_ text: String) throws {
    try SystemFileSystem.StandardStream.output.write(Array(text.utf8))
  }

  /// Writes one line, or several, of results.
  func line(_ text: String) throws { try write(text + "\n") }

  /// Writes a text that scripts take as it is; a person sees it on one line.
  func value(_ text: String) throws { try line(isTerminal ? text.shown : text) }

  /// Writes an error.
  func error(_ code: SyncError.Code, _ message: String) {
    complain("error: \(code.rawValue.shown): \(message.shown)")
  }

  /// Writes an error of any type.
  func error(_ error: any Error) {
    switch error {
    case let error as SyncError: self.error(error.code, error.message)
    // Of a standard stream: the store's own come as errors of the library.
    case let stream as FileError: self.error(.store, "\(stream)")
    default: self.error(.store, "\(error)")
    }
  }

  /// Writes a line about something that is not the result.
  func complain(_ text: String) {
    do {
      try SystemFileSystem.StandardStream.error.write(Array((text + "\n").utf8))
    } catch {
      return  // Nobody is left to tell; the exit status still says it.
    }
  }
}
