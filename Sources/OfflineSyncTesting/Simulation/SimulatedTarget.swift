public import OfflineSync

/// A target that asks the server of a simulated world by date, and pushes one record at a time.
public struct SimulatedTarget: SyncUpTarget, SyncDownTarget {
  /// The collection of the server.
  public let collection: String
  /// Asked in `merge` mode when both sides changed a field; nil: such a conflict stays.
  public var resolver: (@Sendable (Conflict) -> ConflictResolution?)?
  /// How many records come, if the server tells.
  public private(set) var totalSize: Int?
  private let line: SimulatedLine
  private var position = SimulatedServer.Position(date: -1)
  private var isAtEnd = false

  init(_ collection: String, over line: SimulatedLine) {
    self.collection = collection
    self.line = line
  }

  /// The collection.
  public var configuration: JSON { ["collection": .string(collection)] }

  /// Records come in the order of their dates.
  public var isSortedByModificationDate: Bool { true }

  /// As the server says.
  public var acceptsPartialUpdates: Bool { line.server.behaviour.acceptsPartialUpdates }

  /// What the resolver says.
  ///
  /// - Parameter conflict: A conflict in `merge` mode.
  /// - Returns: How it ends; nil: it stays.
  public func resolve(_ conflict: Conflict) -> ConflictResolution? { resolver?(conflict) }

  // MARK: - Down

  /// The first page of what is newer.
  ///
  /// - Parameters:
  ///   - syncManager: Not used.
  ///   - maxTimeStamp: The newest date that is known.
  /// - Returns: The page; nil: nothing is newer.
  /// - Throws: What befalls the line.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    position = SimulatedServer.Position(date: maxTimeStamp)
    let part = try await nextPart()
    totalSize = part == nil && line.server.behaviour.tellsTotalSize ? 0 : part?.totalSize
    return take(part)
  }

  /// The next page.
  ///
  /// - Parameter syncManager: Not used.
  /// - Returns: The page; nil: that was the last.
  /// - Throws: What befalls the line.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    isAtEnd ? nil : take(try await nextPart())
  }

  private func nextPart() async throws -> SimulatedServer.Part<SimulatedServer.Position>? {
    try await line.carry(.fetch, "fetches \(collection) after \(position)") {
      [collection, position] in $0.page(of: collection, after: position)
    }
  }

  private mutating func take(
    _ part: SimulatedServer.Part<SimulatedServer.Position>?
  ) -> SyncPage? {
    isAtEnd = part?.isLast ?? true
    if let part { position = part.end }
    return part?.page
  }

  /// Those ids that the server has.
  ///
  /// - Parameters:
  ///   - localIDs: The ids in question.
  ///   - syncManager: Not used.
  /// - Returns: Those of them that the server has.
  /// - Throws: What befalls the line.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await line.remoteIDs(among: localIDs, in: collection)
  }

  // MARK: - Up

  /// Sends the change.
  ///
  /// - Parameters:
  ///   - change: What to create.
  ///   - syncManager: Not used.
  /// - Returns: What the server did.
  /// - Throws: What befalls the line.
  public func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await line.push(change)
  }

  /// Sends the change.
  ///
  /// - Parameters:
  ///   - change: What to update.
  ///   - syncManager: Not used.
  /// - Returns: What the server did.
  /// - Throws: What befalls the line.
  public func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await line.push(change)
  }

  /// Sends the change.
  ///
  /// - Parameters:
  ///   - change: What to delete.
  ///   - syncManager: Not used.
  /// - Returns: What the server did.
  /// - Throws: What befalls the line.
  public func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await line.push(change)
  }

  /// What the server has of these records.
  ///
  /// - Parameters:
  ///   - ids: The records in question.
  ///   - syncManager: Not used.
  /// - Returns: Its copies or their dates.
  /// - Throws: What befalls the line.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await line.carry(.other, "asks for versions of \(collection) \(ids)") { [collection] in
      $0.versions(of: ids, in: collection)
    }
  }

  /// What came of an operation.
  ///
  /// - Parameters:
  ///   - change: What was sent.
  ///   - syncManager: Not used.
  /// - Returns: What came of it; nil: the server cannot tell, or has not seen it.
  /// - Throws: What befalls the line.
  public func probe(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome? {
    guard line.server.behaviour.answersProbes else { return nil }
    return try await line.carry(.other, "asks for operation \(change.operationID)") {
      $0.outcomes[change.operationID]
    }
  }
}

extension SimulatedLine {
  /// Sends a change; what the server refuses is told as a record's failure or as an error.
  func push(_ change: LocalChange) async throws -> PushOutcome {
    let what = "sends \(change.kind) \(change.collection) \(change.id) \(change.fields)"
    do {
      return try await carry(.push, "\(what) as \(change.operationID)") { [server] state in
        state.take(change, server.chance)
      }
    } catch let error as SyncError where error.httpStatus != nil && server.chance.pick(2) == 0 {
      return .failed(
        RecordFailure(
          code: "\(error.httpStatus ?? 0)",
          message: error.message,
          isRetryable: true,
          retryAfter: error.retryAfter,
          httpStatus: error.httpStatus
        )
      )
    }
  }

  /// Those ids that the server has.
  func remoteIDs(among ids: [RecordID], in collection: String) async throws -> Set<RecordID> {
    let there = try await carry(.other, "asks which of \(ids) in \(collection) are there") {
      let known = Set($0.shelf(collection).ids)
      return ids.filter { known.contains($0) }
    }
    return Set(there)
  }
}
