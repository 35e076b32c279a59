/// What a command is called, what it does and which arguments it takes.
package struct CommandSyntax: Sendable, Equatable {
  /// One thing that stands after the command's name.
  package enum Element: Sendable, Equatable {
    /// `--name VALUE`, which must be there.
    case option(String, value: String)
    /// `[--name VALUE]`.
    case optionalOption(String, value: String)
    /// `[--name]`.
    case flag(String)
    /// An argument by its place, which must be there.
    case operand(String)
    /// An argument by its place, after all that must be there.
    case optionalOperand(String)
    /// Any number of further arguments.
    case operands(String)
  }

  /// The command's name.
  package let name: String
  /// What it does, in a few words.
  package let summary: String
  /// Its arguments, in the order of the usage line.
  package let elements: [Element]

  init(_ name: String, _ summary: String, _ elements: [Element]) {
    self.name = name
    self.summary = summary
    self.elements = elements
  }

  /// The line that shows how the command is used.
  package var usage: String {
    ([ToolProgram.current.name, name] + elements.map(\.usage)).joined(separator: " ")
  }

  /// The name and the few words for a list of commands.
  var listing: String {
    name + String(repeating: " ", count: max(1, 18 - name.utf8.count)) + summary
  }
}

extension CommandSyntax.Element {
  fileprivate var usage: String {
    switch self {
    case .option(let name, let value): "--\(name) \(value)"
    case .optionalOption(let name, let value): "[--\(name) \(value)]"
    case .flag(let name): "[--\(name)]"
    case .operand(let name): name
    case .optionalOperand(let name): "[\(name)]"
    case .operands(let name): "[\(name)…]"
    }
  }
}
