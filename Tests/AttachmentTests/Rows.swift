import OfflineSync

let token = "token"
let staleToken = "token of before"
let terms = AttachmentMachine.Terms(now: 1000, random: .max, budget: 5)

/// A row as it may stand in a store: in this state, held by a transfer if the state says so.
func row(
  _ state: AttachmentState,
  _ direction: AttachmentRow.Direction = .upload,
  isPermanent: Bool = false
) -> AttachmentRow {
  var row = AttachmentRow(
    reference: "me/1/a.png",
    field: field("1"),
    direction: direction,
    createdAt: 500
  )
  row.state = state
  row.isPermanent = isPermanent
  row.sha256 = pictureHash
  row.byteCount = 10
  row.contentType = "image/png"
  row.mentions = [AttachmentMention(field: field("1"), isOnServer: true)]
  if state == .uploading || state == .downloading { row.claim = token }
  if state == .uploading || state == .downloading || state == .failed { row.attempts = 2 }
  if isPermanent { row.attempts = 5 }
  if direction == .upload || state == .synced {
    row.file = .init(path: AttachmentPath.content(of: pictureHash), modified: 400)
  }
  if state == .failed {
    row.error = "no route"
    row.errorCode = "NETWORK"
  }
  if state == .evicted { row.file = nil }
  if state == .orphaned || state == .evicted { row.mentions = [] }
  return row
}

/// Every row of the tables: each state with each direction, and `failed` for good.
var everyRow: [AttachmentRow] {
  AttachmentState.allCases.filter { $0 != .missing }.flatMap { state in
    [AttachmentRow.Direction.upload, .download].flatMap { direction in
      [row(state, direction)] + (state == .failed ? [row(state, direction, isPermanent: true)] : [])
    }
  }
}

let everyError: [SyncError] = [
  SyncError(.network, "no route"), SyncError(.transfer, "500"), SyncError(.authentication, "401"),
  .http(401), .http(403), .http(404), .http(429), .http(503), .http(500),
  SyncError(.transfer, "413", isRetryable: false), SyncError(.attachmentUploadExpired, "410"),
  SyncError(.attachmentTransferTimeout, "late"), SyncError(.attachmentHashMismatch, "other"),
  SyncError(.attachmentNotYetAvailable, "404"), SyncError(.store, "gone"),
  SyncError(.storeFull, "full"),
]

extension SyncError {
  static func http(_ status: Int, retryAfter: Duration? = nil) -> SyncError {
    var error = SyncError(.transfer, "\(status)", retryAfter: retryAfter)
    error.httpStatus = status
    return error
  }
}

/// One event of each kind, with each content that counts.
var everyEvent: [TransferEvent] {
  let remotes: [RemoteAttachment?] = [
    nil, RemoteAttachment(), RemoteAttachment(sha256: pictureHash, byteCount: 10),
    RemoteAttachment(sha256: String(repeating: "0", count: 64)), RemoteAttachment(byteCount: 11),
    RemoteAttachment(sha256: "no hash", byteCount: 10),
  ]
  let sessions = [-1, 0, 4, 10, 11].map { UploadSession(token: 1, offset: $0) }
  let file = AttachmentRow.LocalFile(path: AttachmentPath.content(of: pictureHash), modified: 900)
  let partial = AttachmentRow.Partial(byteCount: 4, validator: "v", sha256: pictureHash)
  var events: [TransferEvent] = [
    .claimUpload, .claimDownload, .verified(.good(modified: 900, byteCount: 10)),
    .verified(.absent), .verified(.different), .probed(nil), .kept(nil), .kept(partial),
    .fetched(file, byteCount: 10), .missed, .interrupted,
  ]
  events += sessions.flatMap { [.opened($0), .probed($0), .sent($0)] }
  events += remotes.flatMap { [.checked($0), .confirmed($0), .described($0), .found($0)] }
  for call in TransferEvent.Call.allCases {
    events += everyError.map { .threw($0, during: call) }
  }
  return events
}

let everyAct: [AttachmentAct] =
  [.retry, .cancel, .recover, .fileMissing, .fileChanged, .wantedAgain, .foundHere]
  + everyError.map { .deletionFailed($0) }
