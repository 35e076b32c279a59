import OfflineSync

/// What `run` did: of a round, or of the syncs that were named.
struct RunReport: Sendable {
  /// The terminal state of each run, in the order they ended.
  var syncs: [SyncState] = []
  /// Why syncs could not be run.
  var refusals: [SyncError] = []
  /// The records that a round's pulls left alone, because they still hold changes.
  var protectedRecords: [RecordID] = []
  /// How many attachments went up.
  var uploadedAttachments = 0
  /// Why no more attachments went up.
  var attachmentError: SyncError?
  /// The attachments that failed meanwhile, or have failed for good.
  var failedAttachments: [AttachmentUpdate] = []
  /// The changes that no run sends again.
  var parkedRecords: [ParkedRecord] = []
  /// The records whose local bodies were displaced by the server's.
  var displacedRecords: [DisplacedRecord] = []
  /// How many records of a collection are in conflict.
  var conflicts: [(collection: String, count: Int)] = []
  /// The names of stored syncs that the configuration has not, so that they were not run.
  var unconfigured: [String] = []

  /// A record whose local body a run has set aside.
  struct DisplacedRecord: Sendable {
    let collection: String
    let id: RecordID
  }

  init() {}

  init(_ report: SyncReport) {
    syncs = report.syncs
    refusals = report.refusals
    protectedRecords = report.protectedRecords
    uploadedAttachments = report.uploadedAttachments
    attachmentError = report.attachmentError
    parkedRecords = report.parkedRecords
  }

  /// The collections of the runs.
  var collections: Set<ByteText> { Set(syncs.map { ByteText($0.collection) }) }

  /// Adds what waits for a decision after the runs.
  mutating func look(at store: Store) async throws {
    let collections = collections
    conflicts = try await store.conflictCounts().filter {
      collections.contains(ByteText($0.collection))
    }
    for state in syncs {
      displacedRecords += try await store.displacedRecords(by: state.id, since: state.startTime)
        .map { DisplacedRecord(collection: $0.collection, id: $0.id) }
    }
  }

  /// Whether every run is done with every record, nothing is parked and no attachment failed; conflicts are no failure.
  var succeeded: Bool {
    refusals.isEmpty && attachmentError == nil && failedAttachments.isEmpty
      && parkedRecords.isEmpty
      && syncs.allSatisfy {
        $0.status == .done && $0.counts.failed == 0 && $0.counts.malformed == 0
      }
  }

  /// The last line for programs.
  var json: JSON {
    [
      "event": "report", "succeeded": .bool(succeeded), "syncs": .array(syncs.map(\.json)),
      "refusals": .array(refusals.map(\.json)),
      "protectedRecords": .array(protectedRecords.map(\.token)),
      "uploadedAttachments": JSON(uploadedAttachments),
      "attachmentError": attachmentError?.json ?? .null,
      "problems": .array(parkedRecords.map(\.json) + failedAttachments.map(\.problem)),
      "displaced": .array(
        displacedRecords.map { ["collection": .string($0.collection), "id": $0.id.token] }
      ),
      "conflicts": .array(
        conflicts.map { ["collection": .string($0.collection), "count": JSON($0.count)] }
      ),
      "notConfigured": .array(unconfigured.map(JSON.string)),
    ]
  }
}

extension ParkedRecord {
  /// As a problem of the report.
  fileprivate var json: JSON {
    [
      "kind": "parkedRecord", "name": .string(id.text), "failure": failure.json,
      "collection": .string(collection), "id": id.token,
    ]
  }
}

extension AttachmentUpdate {
  /// As a problem of the report.
  fileprivate var problem: JSON {
    let failure = RecordFailure(
      code: status.errorCode ?? SyncError.Code.attachmentRowGone.rawValue,
      message: status.error ?? "\(status.state), without bytes here",
      isRetryable: !status.permanent
    )
    return [
      "kind": "attachment", "name": .string(reference), "failure": failure.json,
      "reference": .string(reference), "permanent": .bool(status.permanent),
    ]
  }
}
