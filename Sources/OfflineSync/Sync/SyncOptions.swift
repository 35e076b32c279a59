/// How a sync treats records; stored with it, and changed without a new fetch.
public struct SyncOptions: Sendable, Equatable {
  /// What happens to a record that both sides changed.
  public var mergeMode: MergeMode
  /// The fields a push may send, unless its kind has a list of its own; nil: all.
  public var fieldlist: [String]?
  /// The fields a create may send; nil: as `fieldlist`.
  public var createFieldlist: [String]?
  /// The fields an update may send; nil: as `fieldlist`.
  public var updateFieldlist: [String]?
  /// Field → collection whose ids it holds: rewritten at an id swap, and pushed after what they name.
  public var references: [String: String]
  /// How far before the checkpoint a reSync asks again, for servers that publish late or share timestamps.
  public var overlap: Duration
  /// Longest wait for one call of the target; then it is cancelled: NETWORK.
  ///
  /// Zero: for ever.
  public var timeout: Duration
  /// Sends of one change before it is parked.
  public var maxAttempts: Int

  /// Options with the usual defaults.
  public init(
    mergeMode: MergeMode = .overwrite,
    fieldlist: [String]? = nil,
    createFieldlist: [String]? = nil,
    updateFieldlist: [String]? = nil,
    references: [String: String] = [:],
    overlap: Duration = .zero,
    timeout: Duration = .seconds(120),
    maxAttempts: Int = 8
  ) {
    self.mergeMode = mergeMode
    self.fieldlist = fieldlist
    self.createFieldlist = createFieldlist
    self.updateFieldlist = updateFieldlist
    self.references = references
    self.overlap = overlap
    self.timeout = timeout
    self.maxAttempts = maxAttempts
  }
}
