import Foundation

/// A run of this same program.
enum ChildProcess {
  /// Runs one benchmark in a process of its own, which prints for itself.
  static func runBenchmark(_ name: BenchmarkName, options: Options) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--only", name.rawValue]
    if options.isQuick { process.arguments?.append("--quick") }
    if let directory = options.directory {
      process.arguments?.append(contentsOf: ["--directory", directory])
    }
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("\(name.rawValue) ended with status \(process.terminationStatus)")
    }
  }
}
