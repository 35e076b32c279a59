/// A command with its arguments.
package protocol ToolCommand: Sendable, Equatable {
  /// How it is called.
  static var syntax: CommandSyntax { get }
  /// Takes what its syntax has sorted.
  ///
  /// - Throws: ``UsageError``.
  init(_ arguments: Arguments) throws
  /// Does it.
  func run(_ output: Output) async throws -> ExitStatus
}
