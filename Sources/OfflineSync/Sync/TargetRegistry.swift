/// Where the target of a run comes from: the one the app gave in this process, else the factory of its type.
package struct TargetRegistry: Sendable {
  /// Makes a down target from its stored configuration.
  package typealias DownFactory = @Sendable (JSON) throws -> any SyncDownTarget
  /// Makes an up target from its stored configuration.
  package typealias UpFactory = @Sendable (JSON) throws -> any SyncUpTarget

  private struct Prototype {
    let target: LiveTarget
    let configuration: JSON
  }
  private var downFactories: [String: DownFactory] = [:]
  private var upFactories: [String: UpFactory] = [:]
  private var prototypes: [SyncID: Prototype] = [:]

  /// Knows the targets of the library itself.
  package init() {}

  /// Takes a factory; a later one of the same type replaces it.
  package mutating func register(_ type: String, down make: @escaping DownFactory) {
    downFactories[type] = make
  }

  /// Takes a factory; a later one of the same type replaces it.
  package mutating func register(_ type: String, up make: @escaping UpFactory) {
    upFactories[type] = make
  }

  /// Keeps the target that the app gave for a sync, as long as the sync has that configuration.
  package mutating func keep(_ target: LiveTarget, for row: SyncRow.Plan, of id: SyncID) {
    prototypes[id] = Prototype(target: target, configuration: row.target)
  }

  /// Forgets the target of a sync that is gone, or comes from its factory from now on.
  package mutating func forget(_ id: SyncID) { prototypes[id] = nil }

  /// The target for a run.
  ///
  /// - Throws: `SyncError` SYNC_TARGET_UNKNOWN, and what the factory throws, as SYNC_TARGET_FAILED when it is no
  ///   `SyncError`.
  package func target(of row: SyncRow) throws -> LiveTarget {
    if let prototype = prototypes[row.id], prototype.configuration == row.target {
      return prototype.target
    }
    return try make(row.direction, row.target)
  }

  /// A target from its configuration, by the factory of its `type`; throws as `target(of:)`.
  package func make(_ direction: SyncDirection, _ configuration: JSON) throws -> LiveTarget {
    let type = configuration["type"]?.string ?? ""
    switch direction {
    case .syncDown:
      if let make = downFactories[type] {
        return .down(try TargetFailure.passing(from: type) { try make(configuration) })
      }
    case .syncUp:
      if let make = upFactories[type] {
        return .up(try TargetFailure.passing(from: type) { try make(configuration) })
      }
    }
    throw SyncError(
      .syncTargetUnknown,
      "target: type: no \(direction) target \"\(type)\" is registered"
    )
  }
}
