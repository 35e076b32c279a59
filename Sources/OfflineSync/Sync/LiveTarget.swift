/// A target as the manager keeps it and a run copies it.
package enum LiveTarget: Sendable {
  /// Brings records.
  case down(any SyncDownTarget)
  /// Takes records.
  case up(any SyncUpTarget)

  /// Which way it moves records.
  package var direction: SyncDirection {
    switch self {
    case .down: .syncDown
    case .up: .syncUp
    }
  }

  /// What both kinds tell of themselves.
  package var target: any SyncTarget {
    switch self {
    case .down(let target): target
    case .up(let target): target
    }
  }

  /// The collections whose turns a run takes beside that of its sync.
  package var relatedCollections: [String] {
    switch self {
    case .down(let target): target.relatedCollections
    case .up: []
    }
  }

  /// What a sync of this target is to do.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID when the configuration is no object, or nested too deep.
  package func plan(collection: String, options: SyncOptions) throws -> SyncRow.Plan {
    let target = target
    let type = type(of: target).targetType
    let configuration = target.configuration
    guard !configuration.isTooDeepToKeep else {
      throw SyncError(
        .configInvalid,
        "The configuration of the target \"\(type)\" is nested too deep"
      )
    }
    guard let members = configuration.object else {
      throw SyncError(.configInvalid, "The configuration of the target \"\(type)\" is no object")
    }
    var stored: JSON.Object = ["type": .string(type)]
    for (key, value) in members where key != "type" { stored[key] = value }
    return SyncRow.Plan(
      collection: collection,
      options: options,
      target: .object(stored),
      idField: target.idFieldName,
      dateField: target.modificationDateFieldName,
      versionField: target.versionFieldName,
      relatedCollections: relatedCollections
    )
  }
}
