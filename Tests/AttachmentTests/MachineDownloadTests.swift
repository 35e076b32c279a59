import OfflineSync
import Testing

/// A download, answer by answer.
struct MachineDownloadTests {
  private static let file = AttachmentRow.LocalFile(path: "content/x", modified: 900)
  private static let partial = AttachmentRow.Partial(
    byteCount: 4,
    validator: "v",
    sha256: pictureHash
  )

  private func held() -> AttachmentRow {
    var row = row(.downloading, .download)
    row.error = "no route"
    row.errorCode = "NETWORK"
    return row
  }

  @Test func `a download finds its hash, fetches, and is done`() {
    var run = Run(row(.queued, .download))
    #expect(run.take(.claimDownload) == .find)
    #expect(run.row.state == .downloading && run.row.attempts == 1)
    let remote = RemoteAttachment(sha256: pictureHash, byteCount: 10)
    #expect(run.take(.found(remote)) == .fetch(sha256: pictureHash, byteCount: 10))
    _ = run.take(.kept(Self.partial))
    #expect(run.row.partial == Self.partial && run.row.progress == 0)
    #expect(run.take(.fetched(Self.file, byteCount: 10)) == .end(.synced))
    #expect(run.row.state == .synced && run.row.file == Self.file && run.row.partial == nil)
    #expect(run.row.progress == 0 && run.row.claim == nil)
  }

  @Test func `a good download clears the error`() {
    var run = Run(held())
    _ = run.take(.fetched(Self.file, byteCount: 10))
    #expect(run.row.error == nil && run.row.errorCode == nil)
  }

  @Test func `without a known hash nothing is fetched`() {
    var unknown = held()
    unknown.sha256 = nil
    var run = Run(unknown)
    #expect(run.take(.found(RemoteAttachment(sha256: "ABC", byteCount: 10))) == .end(.failed))
    #expect(run.row.errorCode == "ATTACHMENT_UNVERIFIED" && !run.row.isPermanent)
    #expect(run.row.error?.hasPrefix("ATTACHMENT_UNVERIFIED: me/1/a.png: ") == true)
  }

  @Test func `the server's hash counts, else that of the device`() {
    let other = String(repeating: "0", count: 64)
    var run = Run(held())
    #expect(
      run.take(.found(RemoteAttachment(sha256: other))) == .fetch(sha256: other, byteCount: nil)
    )
    var own = Run(held())
    #expect(own.take(.found(RemoteAttachment())) == .fetch(sha256: pictureHash, byteCount: 10))
  }

  @Test func `what is here of another version is of no use`() {
    var begun = held()
    begun.partial = Self.partial
    var run = Run(begun)
    _ = run.take(.found(RemoteAttachment(sha256: String(repeating: "0", count: 64))))
    #expect(run.row.partial == nil)
    var same = Run(begun)
    _ = same.take(.found(RemoteAttachment(sha256: pictureHash)))
    #expect(same.row.partial == Self.partial)
  }

  @Test func `an object that is not there yet is waited for, within the budget`() {
    for event in [
      TransferEvent.found(nil), .missed,
      .threw(SyncError(.attachmentNotYetAvailable, "404"), during: .fetch),
      .threw(.http(404), during: .fetch),
    ] {
      var run = Run(held())
      #expect(run.take(event) == .end(.failed))
      #expect(run.row.state == .queued && run.row.attempts == 2 && run.row.error == nil)
      #expect(run.row.errorCode == "ATTACHMENT_NOT_YET_AVAILABLE")
      var last = held()
      last.attempts = 5
      var end = Run(last)
      _ = end.take(event)
      #expect(end.row.state == .failed && end.row.isPermanent && end.row.error != nil)
    }
  }

  @Test func `bytes that differ from the hash fail, and nothing of them stays`() {
    var begun = held()
    begun.partial = Self.partial
    var run = Run(begun)
    _ = run.take(.threw(SyncError(.attachmentHashMismatch, "other"), during: .fetch))
    #expect(run.row.errorCode == "ATTACHMENT_HASH_MISMATCH" && run.row.partial == nil)
    #expect(run.row.state == .failed && !run.row.isPermanent && run.row.file == nil)
  }

  @Test(arguments: [
    (SyncError(.attachmentTransferTimeout, "late"), "ATTACHMENT_TRANSFER_TIMEOUT"),
    (SyncError(.store, "no folder"), "STORE"), (SyncError(.network, "off"), "NETWORK"),
    (.http(500), "TRANSFER"),
  ])
  func `other errors keep what is here for the next attempt`(error: SyncError, code: String) {
    var begun = held()
    begun.partial = Self.partial
    var run = Run(begun)
    #expect(run.take(.threw(error, during: .fetch)) == .end(.failed))
    #expect(run.row.errorCode == code && run.row.partial == Self.partial && !run.row.isPermanent)
  }

  @Test(arguments: [SyncError(.authentication, "401"), .http(503)])
  func `a server that takes nothing gives the attempt back`(error: SyncError) {
    var run = Run(held())
    #expect(run.take(.threw(error, during: .fetch)) == .end(.refused(error)))
    #expect(run.row.state == .queued && run.row.attempts == 1)
  }
}
