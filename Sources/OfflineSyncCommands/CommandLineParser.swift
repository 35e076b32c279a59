/// Finds the command that a command line means.
package enum CommandLineParser {
  /// Every command, in the order of the help text.
  static let commands: [any ToolCommand.Type] = [
    DemoCommand.self, RunCommand.self, StatusCommand.self, RecordsCommand.self, PutCommand.self,
    DeleteCommand.self, RevertCommand.self, GhostsCommand.self, AttachCommand.self,
    AttachmentsCommand.self, ResolveCommand.self, RetryCommand.self, CancelCommand.self,
    RemoveCommand.self, VacuumCommand.self, ConflictsCommand.self, ResolveConflictCommand.self,
    ExplainCommand.self, ForgetCommand.self, DoctorCommand.self, WatchCommand.self,
    HelpCommand.self,
  ]

  /// The command of a command line without the program's name.
  ///
  /// - Throws: ``UsageError``.
  package static func parse(_ line: [String]) throws -> any ToolCommand {
    guard let first = line.first else { throw UsageError("no command", usage: general) }
    switch first {
    case "--help", "-h": return HelpCommand(topic: nil)
    case "--version": return VersionCommand()
    default: break
    }
    guard let type = command(named: first) else {
      throw UsageError("unknown command \"\(first)\"", usage: general)
    }
    let arguments = line.dropFirst()
    if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return HelpCommand(topic: first)
    }
    return try type.init(Arguments(Array(arguments), of: type.syntax))
  }

  /// The command of this name; nil: there is none.
  static func command(named name: String) -> (any ToolCommand.Type)? {
    commands.first { $0.syntax.name == name }
  }

  /// How the program is used.
  static var general: String {
    let name = ToolProgram.current.name
    return "\(name) COMMAND …, or \(name) help"
  }
}
