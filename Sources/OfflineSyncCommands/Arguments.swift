/// The arguments of one command, sorted by what its syntax calls them.
package struct Arguments: Sendable, Equatable {
  private let syntax: CommandSyntax
  private var options: [String: String] = [:]
  private var flags: Set<String> = []
  private var operands: [String] = []

  /// Sorts the arguments that follow a command's name.
  ///
  /// `--name value` and `--name=value` are the same; what follows `--` is no option, whatever it looks
  /// like.
  ///
  /// - Throws: ``UsageError``: an unknown or repeated option, a missing or needless value, a missing
  ///   or needless argument.
  package init(_ arguments: [String], of syntax: CommandSyntax) throws {
    self.syntax = syntax
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      }
      if argument.hasPrefix("-"), argument != "-" {
        try takeOption(argument, valueFrom: &rest)
      } else {
        operands.append(argument)
      }
    }
    try checkComplete()
  }

  /// The value of an option; nil when it is absent.
  func value(of option: String) -> String? { options[option] }

  /// Whether a flag is there.
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The arguments by their place, from this one on.
  func operands(from index: Int) -> [String] { Array(operands.dropFirst(index)) }

  /// The argument at a place; nil when there are fewer.
  func operand(at index: Int) -> String? { operands.dropFirst(index).first }

  /// The value of an option that the syntax requires.
  func required(_ option: String) throws -> String {
    guard let value = options[option] else { throw mistake("--\(option) is missing") }
    return value
  }

  /// The argument at a place where the syntax requires one.
  func required(at index: Int) throws -> String {
    guard let operand = operand(at: index) else { throw mistake("an argument is missing") }
    return operand
  }

  /// An error that shows how the command is used.
  func mistake(_ message: String) -> UsageError { UsageError(message, usage: syntax.usage) }

  private mutating func takeOption(
    _ argument: String,
    valueFrom rest: inout ArraySlice<String>
  ) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    let given = parts.count > 1 ? String(parts[1]) : nil
    let name = String(written.dropFirst(2))
    guard written.hasPrefix("--"), let takesValue = syntax.takesValue(name) else {
      throw mistake("unknown option \(written)")
    }
    guard options[name] == nil, !flags.contains(name) else {
      throw mistake("\(written) is there twice")
    }
    guard takesValue else {
      guard given == nil else { throw mistake("\(written) takes no value") }
      flags.insert(name)
      return
    }
    // A forgotten value must not swallow the next option; one that looks like it goes after "=".
    guard let value = given ?? (rest.first?.hasPrefix("--") == true ? nil : rest.popFirst()),
      !value.isEmpty
    else { throw mistake("\(written) needs a value") }
    options[name] = value
  }

  private func checkComplete() throws {
    for name in syntax.requiredOptions where options[name] == nil {
      throw mistake("--\(name) is missing")
    }
    let (required, most) = syntax.operandNames
    if operands.count < required.count { throw mistake("\(required[operands.count]) is missing") }
    if let most, operands.count > most {
      throw mistake("\"\(operands[most])\" is one argument too many")
    }
    if operands.contains("") { throw mistake("an argument is empty") }
  }
}

extension CommandSyntax {
  /// Whether the option of this name has a value; nil: there is no such option.
  fileprivate func takesValue(_ option: String) -> Bool? {
    for element in elements {
      switch element {
      case .option(option, _), .optionalOption(option, _): return true
      case .flag(option): return false
      default: continue
      }
    }
    return nil
  }

  fileprivate var requiredOptions: [String] {
    elements.compactMap { if case .option(let name, _) = $0 { name } else { nil } }
  }

  /// The names of the required arguments, and how many there may be; nil: any number.
  fileprivate var operandNames: (required: [String], most: Int?) {
    var required: [String] = []
    var optional = 0
    for element in elements {
      switch element {
      case .operand(let name): required.append(name)
      case .optionalOperand: optional += 1
      case .operands: return (required, nil)
      default: continue
      }
    }
    return (required, required.count + optional)
  }
}
