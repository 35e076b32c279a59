/// Arguments that make no sense, and how they would.
package struct UsageError: Error, Sendable, Equatable {
  /// What is wrong.
  package let message: String
  /// How the command is used.
  package let usage: String

  init(_ message: String, usage: String) {
    self.message = message
    self.usage = usage
  }
}
