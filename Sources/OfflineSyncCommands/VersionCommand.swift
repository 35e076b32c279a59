/// Says which version this is; `offlinesync --version`.
package struct VersionCommand: ToolCommand {
  package static let syntax = CommandSyntax("--version", "says which version this is", [])

  init() {}

  package init(_ arguments: Arguments) {}

  package func run(_ output: Output) async throws -> ExitStatus {
    try output.line("\(ToolProgram.current.name) 0.1.0")
    return .good
  }
}
