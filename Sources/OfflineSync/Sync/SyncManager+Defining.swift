// Creating, changing and deleting syncs, which every state of the manager allows.

extension SyncManager {
  /// Creates a down sync, which is not run by that.
  ///
  /// - Parameters:
  ///   - target: Brings the records; kept in this process as the prototype of each run's own copy.
  ///   - collection: Where the records go.
  ///   - options: How records are treated.
  ///   - name: Unique among syncs of both directions; nil: known by its number alone.
  /// - Returns: A handle of the sync.
  /// - Throws: `SyncError` SYNC_NAME_TAKEN; CONFIG_INVALID: configuration no object, id or date field unlike the
  ///   collection's.
  @discardableResult
  public func createSyncDown(
    target: some SyncDownTarget,
    collection: String,
    options: SyncOptions = .init(),
    name: String? = nil
  ) async throws -> Sync {
    try await createHandle(.down(target), collection, options, name)
  }

  /// Creates a sync of either direction.
  func createHandle(
    _ live: LiveTarget,
    _ collection: String,
    _ options: SyncOptions,
    _ name: String?
  ) async throws -> Sync {
    try checkOpen()
    return handle(
      of: try await create(live, live.plan(collection: collection, options: options), name)
    )
  }

  /// Creates a down sync, or updates the one of that name from its next run on; for every launch.
  ///
  /// A changed collection, target type or configuration resets the checkpoint; options do not.
  ///
  /// - Parameters:
  ///   - target: Brings the records; kept in this process as the prototype of each run's own copy.
  ///   - collection: Where the records go.
  ///   - options: How records are treated.
  ///   - name: The sync's name.
  /// - Returns: A handle of the sync.
  /// - Throws: `SyncError` SYNC_NAME_TAKEN when the name goes the other way; CONFIG_INVALID.
  @discardableResult
  public func ensureSyncDown(
    target: some SyncDownTarget,
    collection: String,
    options: SyncOptions = .init(),
    name: String
  ) async throws -> Sync {
    try await ensureHandle(.down(target), collection, options, name)
  }

  /// Creates or updates a sync of either direction.
  func ensureHandle(
    _ live: LiveTarget,
    _ collection: String,
    _ options: SyncOptions,
    _ name: String
  ) async throws -> Sync {
    try checkOpen()
    let plan = try live.plan(collection: collection, options: options)
    try checkAttachmentFields(of: plan, live.direction)
    let rows = try await store.defineSyncs([.ensuring(live.direction, plan, name)])
    for row in rows { registry.keep(live, for: plan, of: row.id) }
    return try handle(of: rows.only())
  }

  /// Ensures the syncs of a configuration, all or nothing.
  ///
  /// - Parameters:
  ///   - configuration: `{"syncs": [{"syncName": …, "syncType": …, "soupName": …, "target": …, "options": …}]}`.
  ///   - folder: Where relative paths start.
  /// - Returns: A handle of each sync, in the order of the configuration.
  /// - Throws: `SyncError` CONFIG_INVALID, SYNC_TARGET_UNKNOWN and what factories throw, naming entry and key.
  @discardableResult
  public func setupSyncs(
    from configuration: JSON,
    relativeTo folder: URL? = nil
  ) async throws -> [Sync] {
    try checkOpen()
    let entries = try ConfigurationFile(parsing: configuration, relativeTo: folder).syncs
    let plans = try entries.map { entry in
      try naming(entry) {
        let plan = try registry.make(entry.direction, entry.target)
          .plan(collection: entry.collection, options: entry.options)
        try checkAttachmentFields(of: plan, entry.direction)
        return plan
      }
    }
    let definitions = zip(entries, plans).map { entry, plan in
      SyncDefinition.ensuring(entry.direction, plan, entry.name) { entry.naming($0) }
    }
    let rows: [SyncRow]
    do {
      rows = try await store.defineSyncs(definitions)
    } catch let error as SyncError where error.code == .configInvalid {
      // The store names the collection; the entry meant is the first that differs from those before it.
      let ofCollection = zip(entries, plans).filter { $0.0.collection == error.collection }
      let odd = ofCollection.first { _, plan in
        guard let first = ofCollection.first?.1 else { return false }
        return plan.idField != first.idField || plan.dateField != first.dateField
      }
      throw (odd ?? ofCollection.first)?.0.naming(error) ?? error
    }
    for row in rows { registry.forget(row.id) }
    return rows.map { handle(of: $0) }
  }

  /// Deletes a sync, after stopping its run; its records stay, without owner.
  ///
  /// Unknown: nothing happens.
  ///
  /// - Parameter id: The sync.
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING inside a call of the sync's own target.
  public func deleteSync(_ id: SyncID) async throws {
    try checkOpen()
    let inside = ancestors
    guard !board.active.contains(where: { $0.sync == id && inside.contains($0.number) }) else {
      throw SyncError.wouldWaitForItself
    }
    board.beginLeaving(id)
    defer { board.endLeaving(id) }
    try await waitForEnd(of: board.stop(id))
    guard let row = await store.syncRow(id) else { return }
    do {
      try await store.removeSync(id)
    } catch let error as SyncError where error.code == .syncNotFound {
      return  // Another call was faster.
    }
    registry.forget(id)
    await letGo(of: row)
  }

  /// Deletes a sync, as by its number.
  ///
  /// - Parameter name: The sync.
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING inside a call of the sync's own target.
  public func deleteSync(_ name: String) async throws {
    try checkOpen()
    guard let row = await store.syncRow(named: name) else { return }
    try await deleteSync(row.id)
  }

  /// Creates a sync and keeps its target.
  ///
  /// Throws SYNC_NAME_TAKEN, CONFIG_INVALID.
  func create(_ target: LiveTarget, _ plan: SyncRow.Plan, _ name: String?) async throws -> SyncRow {
    try checkAttachmentFields(of: plan, target.direction)
    let row = try await store.defineSyncs([.creating(target.direction, plan, name)]).only()
    registry.keep(target, for: plan, of: row.id)
    return row
  }

  private func naming<Value>(
    _ entry: ConfigurationFile.Entry,
    _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch let error as SyncError { throw entry.naming(error) }
  }
}

extension SyncDefinition {
  /// A sync that must not be there yet.
  fileprivate static func creating(
    _ direction: SyncDirection,
    _ plan: SyncRow.Plan,
    _ name: String?
  ) -> SyncDefinition {
    defining(plan, name) { present, id in
      if let present { throw SyncError.nameTaken(by: present) }
      return SyncMachine.created(id: id, name: name, direction: direction, plan: plan)
    }
  }

  /// A sync that is created, or changed if it is there.
  fileprivate static func ensuring(
    _ direction: SyncDirection,
    _ plan: SyncRow.Plan,
    _ name: String,
    naming: @escaping @Sendable (SyncError) -> SyncError = { $0 }
  ) -> SyncDefinition {
    defining(plan, name) { present, id in
      guard var row = present else {
        return SyncMachine.created(id: id, name: name, direction: direction, plan: plan)
      }
      guard row.direction == direction else { throw naming(.nameTaken(by: row)) }
      try SyncMachine.change(&row) { $0.define(plan) }
      return row
    }
  }

  private static func defining(
    _ plan: SyncRow.Plan,
    _ name: String?,
    _ decide: @escaping @Sendable (SyncRow?, SyncID) throws -> SyncRow
  ) -> SyncDefinition {
    SyncDefinition(
      name: name,
      collection: plan.collection,
      idField: plan.idField,
      dateField: plan.dateField,
      decide: decide
    )
  }
}

extension [SyncRow] {
  /// The row of the one definition that was asked for.
  fileprivate func only() throws -> SyncRow {
    guard let row = first else { throw SyncError(.store, "The store defined no sync") }
    return row
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
