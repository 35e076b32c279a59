import OfflineSync
import Testing

/// An upload, answer by answer.
struct MachineUploadTests {
  private static let session = UploadSession(token: 1, offset: 4)
  private static let good = ContentFolder.Verdict.good(modified: 900, byteCount: 10)

  @Test func `a new upload verifies its file, opens a session, sends, confirms`() {
    var run = Run(row(.queued))
    #expect(run.take(.claimUpload) == .verify(isThorough: true))
    #expect(run.row.state == .uploading && run.row.attempts == 1)
    #expect(run.take(.verified(Self.good)) == .begin)
    let opened = UploadSession(token: 1)
    #expect(run.take(.opened(opened)) == .send(opened))
    #expect(run.row.session == opened && run.row.progress == 0)
    #expect(run.take(.sent(Self.session)) == .send(Self.session))
    #expect(run.row.progress == 4 && run.row.session?.offset == 4)
    let whole = UploadSession(token: 1, offset: 10)
    #expect(run.take(.sent(whole)) == .confirm(whole))
    #expect(run.row.state == .uploading && run.row.progress == 10, "held until it is confirmed")
    #expect(run.take(.confirmed(RemoteAttachment(sha256: pictureHash))) == .end(.synced))
    #expect(run.row.state == .synced && run.row.claim == nil && run.row.session == nil)
    #expect(run.row.file != nil && run.row.progress == 10)
  }

  @Test func `an empty file is never sent`() {
    var empty = row(.queued)
    empty.byteCount = 0
    var run = Run(empty)
    _ = run.take(.claimUpload)
    _ = run.take(.verified(Self.good))
    #expect(run.take(.opened(UploadSession())) == .confirm(UploadSession()))
  }

  @Test func `an interrupted upload asks where it stands`() {
    var run = Run(row(.failed).with(Self.session))
    #expect(run.take(.claimUpload) == .verify(isThorough: false))
    #expect(run.row.error == "no route" && run.row.errorCode == "NETWORK", "read state first")
    #expect(run.take(.verified(Self.good)) == .probe(Self.session))
    let further = UploadSession(token: 1, offset: 6)
    #expect(run.take(.probed(further)) == .send(further))
    #expect(run.row.progress == 6)
  }

  @Test func `all bytes up and not confirmed: the next attempt only confirms`() {
    var run = Run(row(.uploading).with(UploadSession(token: 1, offset: 10)))
    #expect(run.take(.threw(.http(500), during: .confirm)) == .end(.failed))
    #expect(run.row.progress == 10 && run.row.session?.offset == 10)
    #expect(run.take(.claimUpload) == .verify(isThorough: false))
    let whole = UploadSession(token: 1, offset: 10)
    #expect(run.take(.verified(Self.good)) == .confirm(whole))
  }

  @Test func `a session that the server forgot before the first byte is opened anew`() {
    var run = Run(row(.failed).with(UploadSession(token: 1)))
    _ = run.take(.claimUpload)
    _ = run.take(.verified(Self.good))
    #expect(run.take(.probed(nil)) == .verify(isThorough: true))
    #expect(run.take(.verified(Self.good)) == .begin)
    #expect(run.row.attempts == 3, "within the same attempt")
  }

  @Test func `a session that is gone may have done its work: look before sending again`() {
    var run = Run(row(.failed).with(Self.session))
    _ = run.take(.claimUpload)
    _ = run.take(.verified(Self.good))
    #expect(run.take(.probed(nil)) == .check)
    #expect(run.row.progress == 0 && run.row.session == nil)
    var found = run
    #expect(
      found.take(.checked(RemoteAttachment(sha256: pictureHash, byteCount: 10))) == .end(.synced)
    )
    #expect(run.take(.checked(nil)) == .verify(isThorough: true))
    #expect(run.take(.verified(Self.good)) == .begin)
  }

  @Test func `a session that is lost while sending is an expired upload`() {
    var run = Run(row(.uploading).with(Self.session))
    #expect(run.take(.threw(SyncError(.network, "off"), during: .send)) == .probe(Self.session))
    #expect(run.take(.probed(nil)) == .check)
    #expect(run.take(.checked(nil)) == .end(.failed))
    #expect(run.row.errorCode == "ATTACHMENT_UPLOAD_EXPIRED" && run.row.session == nil)
    #expect(run.row.progress == 0 && run.row.state == .failed && !run.row.isPermanent)
    #expect(run.row.error?.hasPrefix("ATTACHMENT_UPLOAD_EXPIRED: me/1/a.png: ") == true)
  }

  @Test func `without sessions the error of the send is told`() {
    var run = Run(row(.uploading).with(UploadSession()))
    _ = run.take(.threw(.http(500), during: .send))
    _ = run.take(.probed(nil))
    #expect(run.take(.checked(nil)) == .end(.failed))
    #expect(run.row.errorCode == "TRANSFER" && run.row.error == "500")
  }

  @Test func `five answers in a row that move nothing end the attempt`() {
    var run = Run(row(.uploading).with(Self.session))
    for _ in 0..<2 {
      #expect(run.take(.threw(.http(500), during: .send)) == .probe(Self.session))
      #expect(run.take(.probed(Self.session)) == .send(Self.session))
    }
    #expect(run.take(.threw(.http(500), during: .send)) == .end(.failed))
    #expect(run.row.session == Self.session && run.row.progress == 4, "a resume starts there")
    #expect(run.row.notBefore > 1000)
  }

  @Test func `an answer that moves the offset begins the count anew`() {
    var run = Run(row(.uploading).with(UploadSession(token: 1)))
    for offset in Int64(1)...9 {
      for _ in 0..<4 { _ = run.take(.threw(.http(500), during: .probe)) }
      let moved = UploadSession(token: 1, offset: offset)
      #expect(run.take(.probed(moved)) == .send(moved))
    }
  }

  @Test func `a chunk that is taken and counted for nothing is asked about`() {
    var run = Run(row(.uploading).with(Self.session))
    #expect(run.take(.sent(Self.session)) == .probe(Self.session))
    #expect(run.row.state == .uploading)
  }

  @Test(arguments: [Int64(-1), 11])
  func `an impossible offset drops the session`(offset: Int64) {
    for event in [
      TransferEvent.opened(UploadSession(token: 2, offset: offset)),
      .probed(UploadSession(token: 2, offset: offset)),
      .sent(UploadSession(token: 2, offset: offset)),
    ] {
      var run = Run(row(.uploading).with(Self.session))
      #expect(run.take(event) == .end(.failed))
      #expect(run.row.session == nil && run.row.progress == 0 && run.row.errorCode == "TRANSFER")
    }
  }

  @Test(arguments: [SyncError(.authentication, "401"), .http(401), .http(429), .http(503)])
  func `who is not known, or comes at the wrong time, is given the attempt back`(error: SyncError) {
    for call in TransferEvent.Call.allCases {
      var run = Run(row(.uploading).with(Self.session))
      #expect(run.take(.threw(error, during: call)) == .end(.refused(error)))
      #expect(run.row.state == .queued && run.row.attempts == 1 && run.row.claim == nil)
      #expect(run.row.session == Self.session && run.row.progress == 4)
      let isTold = !error.isRefusedIdentity
      #expect((run.row.error != nil) == isTold && (run.row.notBefore > 0) == isTold)
    }
  }

  @Test func `the wish of a busy server is kept`() {
    var run = Run(row(.uploading))
    _ = run.take(.threw(.http(429, retryAfter: .seconds(90)), during: .begin))
    #expect(run.row.notBefore == 1000 + 90_000)
  }

  @Test func `an error that no retry can change stops the row for good`() {
    var run = Run(row(.uploading).with(Self.session))
    _ = run.take(.threw(SyncError(.transfer, "413", isRetryable: false), during: .send))
    #expect(run.row.state == .failed && run.row.isPermanent && run.row.attempts == 5)
    #expect(run.row.error == "413" && run.row.errorCode == "TRANSFER" && run.row.notBefore == 0)
  }

  @Test func `the failure that spends the budget stops the row for good`() {
    var last = row(.uploading)
    last.attempts = 5
    var run = Run(last)
    _ = run.take(.threw(.http(500), during: .begin))
    #expect(run.row.isPermanent && run.row.error == "500" && run.row.notBefore == 0)
  }

  @Test func `a file that is gone or changed fails with STORE, within the budget`() {
    var gone = Run(row(.uploading).with(Self.session))
    #expect(gone.take(.verified(.absent)) == .end(.failed))
    #expect(gone.row.errorCode == "STORE" && gone.row.file == nil && !gone.row.isPermanent)
    var changed = Run(row(.uploading).with(Self.session))
    #expect(changed.take(.verified(.different)) == .end(.failed))
    #expect(changed.row.errorCode == "STORE" && changed.row.session == nil)
    #expect(changed.row.progress == 0 && changed.row.file != nil, "nobody deletes what is there")
  }

  @Test func `what cannot be confirmed is looked for`() {
    let whole = UploadSession(token: 1, offset: 10)
    var run = Run(row(.uploading).with(whole))
    #expect(run.take(.confirmed(nil)) == .describe)
    var there = run
    #expect(there.take(.described(RemoteAttachment())) == .end(.synced))
    #expect(run.take(.described(nil)) == .end(.failed))
    #expect(run.row.session == nil && run.row.progress == 0)
    #expect(run.row.errorCode == "ATTACHMENT_UPLOAD_EXPIRED", "never synced without the object")
  }

  @Test(arguments: [
    RemoteAttachment(sha256: String(repeating: "0", count: 64)), RemoteAttachment(byteCount: 9),
  ])
  func `other bytes on the server are a mismatch, and the session goes`(remote: RemoteAttachment) {
    var run = Run(row(.uploading).with(UploadSession(token: 1, offset: 10)))
    #expect(run.take(.confirmed(remote)) == .end(.failed))
    #expect(run.row.errorCode == "ATTACHMENT_HASH_MISMATCH" && run.row.session == nil)
    #expect(run.row.progress == 0)
  }

  @Test func `a caller that goes away takes nothing from the budget`() {
    var run = Run(row(.uploading).with(Self.session))
    #expect(run.take(.interrupted) == .end(.released))
    #expect(run.row.state == .queued && run.row.attempts == 1 && run.row.session == Self.session)
  }
}

/// A machine with its attempt.
struct Run {
  var machine: AttachmentMachine
  var attempt = TransferAttempt(token: token)
  var row: AttachmentRow { machine.row }

  init(_ row: AttachmentRow) { machine = AttachmentMachine(row, terms) }

  mutating func take(_ event: TransferEvent) -> TransferStep { machine.take(event, by: &attempt) }
}

extension AttachmentRow {
  func with(_ session: UploadSession) -> AttachmentRow {
    var row = self
    row.session = session
    row.progress = session.offset
    return row
  }
}
