public import OfflineSync

/// A down target that answers by a script.
public struct ScriptedTarget: SyncDownTarget {
  /// The script, which copies of the target share.
  public let script: TargetScript
  /// What is stored with the sync.
  public var configuration: JSON = [:]
  /// The field that holds the id.
  public var idFieldName = "Id"
  /// The field that holds the modification date.
  public var modificationDateFieldName = "lastModifiedDate"
  /// Whether it claims that its pages are sorted by date.
  public var isSortedByModificationDate = false
  /// The collections of `SyncPage.related`.
  public var relatedCollections: [String] = []
  /// What the script said after `startFetch`; nil: unknown.
  public private(set) var totalSize: Int?

  /// A target that answers by the script.
  public init(_ script: TargetScript) { self.script = script }

  /// The script's next answer.
  ///
  /// - Parameters:
  ///   - syncManager: Not used.
  ///   - maxTimeStamp: Noted among the script's calls.
  /// - Returns: The page; nil: the end.
  /// - Throws: What the script says.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    let answer = try await script.answer(.startFetch(maxTimeStamp: maxTimeStamp))
    totalSize = script.totalSize
    return try answer.page()
  }

  /// The script's next answer.
  ///
  /// - Parameter syncManager: Not used.
  /// - Returns: The page; nil: the end.
  /// - Throws: What the script says.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try await script.answer(.continueFetch()).page()
  }

  /// Those ids that the script's server has.
  ///
  /// - Parameters:
  ///   - localIDs: The ids in question.
  ///   - syncManager: Not used.
  /// - Returns: Those of them that the server has.
  /// - Throws: What the script says.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await script.remoteIDs(among: localIDs)
  }
}

/// A down target with a checkpoint that answers by a script.
public struct CheckpointedScriptedTarget: CheckpointedSyncDownTarget {
  /// The script, which copies of the target share.
  public let script: TargetScript
  /// Moved by the answers of the script.
  public var checkpoint: JSON?
  /// What is stored with the sync.
  public var configuration: JSON = [:]
  /// Whether it claims that its pages are sorted by date.
  public var isSortedByModificationDate = false
  /// What the script said after `startFetch`; nil: unknown.
  public private(set) var totalSize: Int?

  /// A target that answers by the script.
  public init(_ script: TargetScript) { self.script = script }

  /// The script's next answer.
  ///
  /// - Parameters:
  ///   - syncManager: Not used.
  ///   - maxTimeStamp: Noted among the script's calls.
  /// - Returns: The page; nil: the end.
  /// - Throws: What the script says.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    let answer = try await script.answer(
      .startFetch(maxTimeStamp: maxTimeStamp, checkpoint: checkpoint)
    )
    totalSize = script.totalSize
    return try take(answer)
  }

  /// The script's next answer.
  ///
  /// - Parameter syncManager: Not used.
  /// - Returns: The page; nil: the end.
  /// - Throws: What the script says.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try take(await script.answer(.continueFetch(checkpoint: checkpoint)))
  }

  /// Those ids that the script's server has.
  ///
  /// - Parameters:
  ///   - localIDs: The ids in question.
  ///   - syncManager: Not used.
  /// - Returns: Those of them that the server has.
  /// - Throws: What the script says.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await script.remoteIDs(among: localIDs)
  }

  private mutating func take(_ answer: TargetScript.Answer) throws -> SyncPage? {
    if case .page(_, let moved?) = answer { checkpoint = moved }
    return try answer.page()
  }
}

extension TargetScript.Answer {
  fileprivate func page() throws -> SyncPage? {
    switch self {
    case .page(let page, _): page
    case .end: nil
    case .failure(let error): throw error
    }
  }
}
