public import OfflineSync
import Synchronization

/// The transports of targets that come from configurations: one for each origin and name of credentials.
///
/// A configuration lies in plain text in the state directory, so it holds a name of credentials, and
/// `credentials` finds what the name stands for.
public final class HTTPTransports: Sendable {
  /// What a name of credentials stands for.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID for a name that it does not know.
  public typealias Credentials =
    @Sendable (_ name: String) throws -> HTTPTransport.Authorization

  private struct Key: Hashable {
    let origin: HTTPOrigin
    let name: String?
  }
  private let made = Mutex<[Key: HTTPTransport]>([:])
  private let credentials: Credentials

  /// Makes transports as they are asked for.
  public init(credentials: @escaping Credentials) { self.credentials = credentials }

  /// The transport to an address, with the credentials of this name; nil: without any.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID.
  public func transport(to url: URL, credentials name: String?) throws -> HTTPTransport {
    let new = try HTTPTransport(to: url, authorization: name.map { try credentials($0) })
    let key = Key(origin: new.origin, name: name)
    return made.withLock { made in
      if let transport = made[key] { return transport }
      made[key] = new
      return new
    }
  }
}

extension SyncManager {
  /// Registers the targets of this module: `kinto` and `json`, both ways, `soql` down and `sobject` up.
  ///
  /// - Parameter transports: Where their transports come from.
  public func registerHTTPTargets(_ transports: HTTPTransports) {
    register(KintoTarget.targetType, down: { try KintoTarget($0, transports) })
    register(KintoTarget.targetType, up: { try KintoTarget($0, transports) })
    register(JSONTarget.targetType, down: { try JSONTarget($0, transports) })
    register(JSONTarget.targetType, up: { try JSONTarget($0, transports) })
    register(SOQLTarget.targetType, down: { try SOQLTarget($0, transports) })
    register(SObjectTarget.targetType, up: { try SObjectTarget($0, transports) })
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
