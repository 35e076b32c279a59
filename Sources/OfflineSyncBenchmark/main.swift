// Prints one JSON line a figure: `{"name":…,"value":…,"unit":…,"target":…,"holds":…}`; what a figure
// has no target for lacks the last two. Each benchmark runs in a process of its own, so that none
// inherits another's memory.

import Foundation

do {
  let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
  if options.wantsHelp {
    Output.line(Options.usage)
  } else if let name = options.only {
    try await name.run(quick: options.isQuick, in: options.directory)
  } else {
    for name in BenchmarkName.allCases {
      try ChildProcess.runBenchmark(name, options: options)
    }
  }
} catch {
  Output.fail("\(error)")
  exit(1)
}
