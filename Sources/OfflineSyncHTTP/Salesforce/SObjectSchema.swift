import OfflineSync
import Synchronization

/// The fields that an object has, as its description says; shared by the copies of a target.
final class SObjectSchema: Sendable {
  private let names = Mutex<Set<String>?>(nil)

  /// Those of the names that are no fields, as far as the description has been asked for.
  func unknown(among asked: [String]) -> [String] {
    guard let names = names.withLock({ $0 }) else { return [] }
    // What has a dot came from the server, over a relationship.
    return asked.filter { !$0.contains(".") && !names.contains($0.lowercased()) }
  }

  /// Asks for the description, once; false: it was known already.
  ///
  /// - Throws: `SyncError` as `SalesforceServer.good(_:now:)`; SYNC_TARGET_FAILED when it is no description.
  func ask(_ server: SalesforceServer, _ sobjectType: String, now: Int64) async throws -> Bool {
    guard names.withLock({ $0 == nil }) else { return false }
    let address = try server.address(["sobjects", sobjectType, "describe"])
    let answer = try await server.good(HTTPRequest("GET", address), now: now).json()
    guard let fields = answer["fields"]?.array else {
      throw SyncError(.syncTargetFailed, "the server describes \(sobjectType) without fields")
    }
    let found = Set(fields.compactMap { $0["name"]?.string?.lowercased() })
    names.withLock { $0 = found }
    return true
  }
}
