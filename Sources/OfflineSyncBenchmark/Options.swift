/// What the command line asks for.
struct Options {
  /// Whether sizes are chosen so that everything ends in about half a minute.
  private(set) var isQuick = false
  /// The one benchmark to run, in this process; nil: all.
  private(set) var only: BenchmarkName?
  /// The folder whose disk is measured; nil: the folder for temporary files.
  private(set) var directory: String?
  private(set) var wantsHelp = false

  static let usage = """
    usage: OfflineSyncBenchmark [--quick] [--only NAME] [--directory FOLDER]
    names: \(BenchmarkName.allCases.map(\.rawValue).joined(separator: ", "))
    FOLDER lies on the disk to be measured; without it the folder for temporary files is taken.
    """

  /// Reads the arguments after the program's name.
  init(arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--help": wantsHelp = true
      case "--directory": directory = try Self.value(of: argument, &rest)
      case "--only":
        let text = try Self.value(of: argument, &rest)
        guard let name = BenchmarkName(rawValue: text) else {
          throw BenchmarkError("no benchmark is called \(text)\n\(Self.usage)")
        }
        only = name
      default: throw BenchmarkError("unknown argument \(argument)\n\(Self.usage)")
      }
    }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value") }
    return value
  }
}

/// Why a benchmark could not be run.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
