import Foundation
import OfflineSync
import OfflineSyncCommands
import OfflineSyncHTTP

/// The command-line tool `offlinesync-http`: the same commands, with the targets and transfers of HTTP servers.
///
/// `credentials` in a target's or a transfer's configuration is the name of an environment variable, which holds what
/// is sent as `Authorization`.
@main
enum HTTPTool {
  static func main() async {
    let transports = HTTPTransports { name in
      guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else {
        throw SyncError(.configInvalid, "credentials: the environment has no \(name)")
      }
      return { _ in value }
    }
    await ToolProgram(
      name: "offlinesync-http",
      register: { await $0.registerHTTPTargets(transports) },
      transfer: { try transports.transfer($0) }
    )
    .main()
  }
}
