/// A sync as the store keeps it.
///
/// Its status machine is `SyncMachine`; everything but `run` and `fetch` is written to the journal.
package struct SyncRow: Sendable, Equatable {
  /// The sync's number.
  package let id: SyncID
  /// The sync's name, unique in the store.
  package let name: String?
  /// Which way it moves records.
  package let direction: SyncDirection
  /// What it is to do.
  package var plan: Plan
  /// What it is to do from its next run on; nil: the same.
  ///
  /// Set when a sync is changed while it runs.
  package var nextPlan: Plan?

  /// Where it stands.
  package var status = SyncStatus.new
  /// 0 to 100.
  package var progress = 0
  /// Records that the run expects; −1: unknown.
  package var totalSize = -1
  /// The newest modification date that is safely stored; −1: none.
  package var maxTimeStamp: Int64 = -1
  /// When the last run began; 0: never.
  package var startTime: Int64 = 0
  /// When the last run ended; 0: not yet.
  package var endTime: Int64 = 0
  /// When `run()` tries it again; 0: none due.
  package var nextAttempt: Int64 = 0
  /// Whether deletions may have been missed since ghosts were cleaned.
  package var ghostsAdvised = false
  /// Why the last run failed, or why `restart` could not start it.
  package var error: String?
  /// The code of `error`.
  package var errorCode: String?
  /// What the last run did.
  package var counts = SyncCounts()
  /// The first 100 problems of the last run, without bytes.
  package var problems: [RecordProblem] = []

  /// The target's own cursor, as of the last page.
  package var checkpoint: JSON?
  /// Whether a fetch was begun and not ended: set by a run's first page, cleared by done.
  package var isMidFetch = false
  /// The newest date of the fetch under way, which done makes `maxTimeStamp`; −1: none.
  package var newestDate: Int64 = -1
  /// Runs that failed in a row, for the backoff.
  package var failures = 0

  /// The run that holds the sync; 0: none.
  ///
  /// In memory only.
  package var run: UInt64 = 0
  /// What that run knows; in memory only.
  package var fetch = Fetch()

  /// A sync that never ran.
  package init(id: SyncID, name: String?, direction: SyncDirection, plan: Plan) {
    self.id = id
    self.name = name
    self.direction = direction
    self.plan = plan
  }

  /// Whether the journal would hold the same line for both.
  package func isStoredAlike(_ other: SyncRow) -> Bool {
    var row = self
    row.run = other.run
    row.fetch = other.fetch
    return row == other
  }

  /// What watchers see: between two shown steps of a run, the earlier one.
  package var state: SyncState {
    SyncState(
      id: id,
      name: name,
      direction: direction,
      collection: plan.collection,
      options: plan.options,
      target: plan.target,
      status: status,
      progress: progress,
      totalSize: totalSize,
      maxTimeStamp: fetch.shown?.maxTimeStamp ?? maxTimeStamp,
      startTime: startTime,
      endTime: endTime,
      nextAttempt: nextAttempt,
      ghostsAdvised: ghostsAdvised,
      error: error,
      errorCode: errorCode,
      counts: fetch.shown?.counts ?? counts,
      problems: fetch.shown?.problems ?? problems
    )
  }
}

extension SyncRow {
  /// What the app defines of a sync, and runs do not change.
  package struct Plan: Sendable, Equatable {
    /// The collection it reads or writes.
    package var collection: String
    /// How it treats records.
    package var options: SyncOptions
    /// The target's configuration, with its type under `type`.
    package var target: JSON
    /// The field that holds the id.
    package var idField: String
    /// The field that holds the modification date.
    package var dateField: String
    /// The field whose text says which version a body is.
    package var versionField: String
    /// Other collections that its pages may bring records of.
    package var relatedCollections: [String]

    /// Makes a plan.
    package init(
      collection: String,
      options: SyncOptions,
      target: JSON,
      idField: String,
      dateField: String,
      versionField: String,
      relatedCollections: [String] = []
    ) {
      self.collection = collection
      self.options = options
      self.target = target
      self.idField = idField
      self.dateField = dateField
      self.versionField = versionField
      self.relatedCollections = relatedCollections
    }

    /// Whether a checkpoint of one plan holds for the other.
    ///
    /// That is with the same collection, target type and configuration, read by the same fields.
    package func fetchesAlike(_ other: Plan) -> Bool {
      collection == other.collection && target == other.target && idField == other.idField
        && dateField == other.dateField
    }
  }

  /// The collection it reads or writes.
  package var collection: String { plan.collection }
  /// How it treats records.
  package var options: SyncOptions { plan.options }
  /// The target's configuration, with its type under `type`.
  package var target: JSON { plan.target }
  /// The field that holds the id.
  package var idField: String { plan.idField }
  /// The field that holds the modification date.
  package var dateField: String { plan.dateField }
  /// The field whose text says which version a body is.
  package var versionField: String { plan.versionField }
  /// Other collections that its pages may bring records of.
  package var relatedCollections: [String] { plan.relatedCollections }
}

extension SyncRow {
  /// What a run knows of its fetch and loses with the process.
  package struct Fetch: Sendable, Equatable {
    /// Records, deletions and malformed ones that came so far.
    package var counted = 0
    /// Whether the run follows a done one and has stored no page yet, so that nothing below `maxTimeStamp` is missing.
    package var followsDone = false
    /// Whether the target's claim to sort by date has held so far.
    package var isSorted = true
    /// The date at which the last page ended.
    package var lastDate: Int64 = -1
    /// What watchers see while a page that is no step of the progress is stored; nil: the row itself.
    package var shown: Shown?

    /// Nothing came yet.
    package init() {}
  }

  /// The part of a state that pages change.
  package struct Shown: Sendable, Equatable {
    package let maxTimeStamp: Int64
    package let counts: SyncCounts
    package let problems: [RecordProblem]

    package init(maxTimeStamp: Int64, counts: SyncCounts, problems: [RecordProblem]) {
      self.maxTimeStamp = maxTimeStamp
      self.counts = counts
      self.problems = problems
    }
  }
}
