import OfflineSyncCommands

/// The command-line tool `offlinesync`: the commands over the core alone.
@main
enum Tool {
  static func main() async { await ToolProgram(name: "offlinesync").main() }
}
