/// Says how the commands are used.
package struct HelpCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "help",
    "says how the commands are used",
    [.optionalOperand("COMMAND")]
  )

  /// The command to speak of; nil: of all.
  package let topic: String?

  init(topic: String?) { self.topic = topic }

  package init(_ arguments: Arguments) throws {
    topic = arguments.operand(at: 0)
    if let topic, CommandLineParser.command(named: topic) == nil {
      throw arguments.mistake("unknown command \"\(topic)\"")
    }
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    if let topic, let command = CommandLineParser.command(named: topic) {
      try output.line("\(command.syntax.usage)\n    \(command.syntax.summary)")
      return .good
    }
    let name = ToolProgram.current.name
    try output.line("\(name): a local copy of remote records, kept in a state directory\n")
    for command in CommandLineParser.commands { try output.line("  " + command.syntax.listing) }
    try output.line(
      """

      \(name) help COMMAND shows the arguments of one. What follows "--" is no option.
      Exit status: 0 good, 1 something failed, 2 wrong usage. Results go to standard output,
      errors to standard error, as "error: CODE: text".
      """
    )
    return .good
  }
}
