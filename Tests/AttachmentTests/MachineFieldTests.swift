import OfflineSync
import Testing

/// What acts and the ends of transfers leave of a row in which every field says something.
struct MachineFieldTests {
  typealias Change = @Sendable (inout AttachmentRow) -> Void

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let before: AttachmentRow
    let act: AttachmentAct
    /// What the act changes; nil: the row takes no part.
    let change: Change?
    var testDescription: String { name }
  }

  /// A row in this state that has failed, been begun, and waits.
  private static func full(
    _ state: AttachmentState,
    _ direction: AttachmentRow.Direction = .upload,
    _ change: Change = { _ in }
  ) -> AttachmentRow {
    var full = row(state, direction)
    full.attempts = 3
    full.notBefore = 900
    full.error = "old"
    full.errorCode = "NETWORK"
    full.file = .init(path: AttachmentPath.content(of: pictureHash), modified: 400)
    full.partial = .init(byteCount: 4, validator: "v", sha256: pictureHash)
    if direction == .upload { full = full.with(UploadSession(token: 1, offset: 4)) }
    change(&full)
    return full
  }

  private static let forgiven: Change = {
    $0.state = .queued
    $0.claim = nil
    $0.attempts = 0
    $0.isPermanent = false
    $0.notBefore = 0
    $0.error = nil
    $0.errorCode = nil
  }

  private static let cancelled: Change = {
    $0.state = .failed
    $0.claim = nil
    $0.isPermanent = false
    $0.notBefore = 0
    $0.error = nil
    $0.errorCode = nil
  }

  private static let evicted: Change = {
    $0.state = .evicted
    $0.claim = nil
    $0.isPermanent = false
    $0.notBefore = 0
    $0.file = nil
    $0.session = nil
    $0.partial = nil
  }

  private static let fileLost: Change = {
    $0.file = nil
    $0.state = .failed
    $0.claim = nil
    $0.error = "the local file of me/1/a.png is gone"
    $0.errorCode = "STORE"
  }

  private static let foundHere: Change = {
    $0.state = .synced
    $0.partial = nil
    $0.error = nil
    $0.errorCode = nil
    $0.notBefore = 0
    $0.usedAt = 1000
  }

  /// Nothing names it any more, and its bytes are here alone.
  private static let displaced: Change = { $0.mentions = [] }

  static let retries: [Case] =
    [AttachmentState.queued, .uploading, .failed].map {
      Case(name: "retry \($0)", before: full($0), act: .retry, change: forgiven)
    } + [
      Case(
        name: "retry a download",
        before: full(.downloading, .download),
        act: .retry,
        change: forgiven
      ),
      Case(
        name: "retry what stopped for good",
        before: full(.failed) { $0.isPermanent = true },
        act: .retry,
        change: forgiven
      ),
      Case(
        name: "retry what nothing names",
        before: full(.failed, .upload, displaced),
        act: .retry,
        change: {
          forgiven(&$0)
          $0.error = "old"
          $0.errorCode = "NETWORK"
        }
      ),
    ]

  static let done: [Case] = [AttachmentState.synced, .orphaned, .evicted].map {
    Case(name: "retry \($0)", before: full($0), act: .retry, change: nil)
  }

  static let cancels: [Case] = [
    Case(name: "cancel what waits", before: full(.queued), act: .cancel, change: cancelled),
    // Only what failed can have stopped for good: such a row is damaged.
    Case(
      name: "cancel a damaged row",
      before: full(.queued) { $0.isPermanent = true },
      act: .cancel,
      change: cancelled
    ),
    Case(
      name: "cancel an upload",
      before: full(.uploading),
      act: .cancel,
      change: {
        cancelled(&$0)
        $0.attempts = 2
      }
    ),
    Case(
      name: "cancel a download that was charged nothing",
      before: full(.downloading, .download) { $0.attempts = 0 },
      act: .cancel,
      change: cancelled
    ),
    Case(
      name: "cancel what nothing names",
      before: full(.queued, .upload, displaced),
      act: .cancel,
      change: {
        cancelled(&$0)
        $0.error = "old"
        $0.errorCode = "NETWORK"
      }
    ),
    Case(name: "cancel what failed", before: full(.failed), act: .cancel, change: nil),
    Case(name: "cancel what is done", before: full(.synced), act: .cancel, change: nil),
  ]

  static let openings: [Case] = [
    Case(
      name: "recover an upload",
      before: full(.uploading),
      act: .recover,
      change: {
        $0.state = .queued
        $0.claim = nil
      }
    ),
    Case(
      name: "recover a download",
      before: full(.downloading, .download),
      act: .recover,
      change: {
        $0.state = .queued
        $0.claim = nil
      }
    ),
    Case(name: "recover what waits", before: full(.queued), act: .recover, change: nil),
    Case(name: "recover what failed", before: full(.failed), act: .recover, change: nil),
    Case(name: "lose a file", before: full(.uploading), act: .fileMissing, change: fileLost),
    Case(
      name: "lose the file of a download",
      before: full(.queued, .download),
      act: .fileMissing,
      change: { $0.file = nil }
    ),
    Case(
      name: "lose the file of what stopped for good",
      before: full(.failed) { $0.isPermanent = true },
      act: .fileMissing,
      change: { $0.file = nil }
    ),
    Case(
      name: "lose no file",
      before: full(.queued) { $0.file = nil },
      act: .fileMissing,
      change: nil
    ),
    Case(
      name: "find a download here",
      before: full(.queued, .download),
      act: .foundHere,
      change: foundHere
    ),
    Case(
      name: "find one here that was used later",
      before: full(.failed, .download) { $0.usedAt = 2000 },
      act: .foundHere,
      change: {
        foundHere(&$0)
        $0.usedAt = 2000
      }
    ),
    Case(
      name: "find no file",
      before: full(.queued, .download) { $0.file = nil },
      act: .foundHere,
      change: nil
    ),
    Case(name: "find an upload here", before: full(.queued), act: .foundHere, change: nil),
    Case(name: "want what waits", before: full(.queued), act: .wantedAgain, change: nil),
    Case(
      name: "want what is done",
      before: full(.synced, .download),
      act: .wantedAgain,
      change: {
        $0.state = .queued
        $0.file = nil
        $0.attempts = 0
        $0.progress = 0
        $0.error = nil
        $0.errorCode = nil
      }
    ),
  ]

  static let deletions: [Case] = [
    Case(
      name: "an object that may not be deleted",
      // A row that nobody holds has no claim and has not stopped for good: this one is damaged.
      before: full(.orphaned) {
        $0.claim = token
        $0.isPermanent = true
      },
      act: .deletionFailed(.http(403)),
      change: {
        evicted(&$0)
        $0.error = nil
        $0.errorCode = nil
      }
    ),
    Case(
      name: "an object that could not be deleted",
      before: full(.orphaned),
      act: .deletionFailed(.http(500)),
      change: {
        $0.attempts = 4
        $0.error = "500"
        $0.errorCode = "TRANSFER"
      }
    ),
    Case(
      name: "an object of a busy server",
      before: full(.orphaned),
      act: .deletionFailed(.http(429)),
      change: {
        $0.error = "429"
        $0.errorCode = "TRANSFER"
      }
    ),
    Case(
      name: "the last attempt to delete an object",
      before: full(.orphaned) { $0.attempts = 4 },
      act: .deletionFailed(.http(500)),
      change: {
        evicted(&$0)
        $0.attempts = 5
        $0.error = "500"
        $0.errorCode = "TRANSFER"
      }
    ),
    Case(
      name: "an object that is named",
      before: full(.synced),
      act: .deletionFailed(.http(403)),
      change: nil
    ),
  ]

  @Test(arguments: retries + done + cancels + openings + deletions)
  func `an act changes what it is to change, and nothing else`(example: Case) {
    var machine = AttachmentMachine(example.before, terms)
    var expected = example.before
    example.change?(&expected)
    #expect(machine.take(example.act) == (example.change != nil))
    #expect(machine.row == expected)
  }

  @Test(arguments: [AttachmentState.uploading, .downloading])
  func `a transfer that is given back keeps all but claim and attempt`(state: AttachmentState) {
    for attempts in [3, 0] {
      let before = Self.full(state, state == .uploading ? .upload : .download) {
        $0.attempts = attempts
      }
      var run = Run(before)
      #expect(run.take(.interrupted) == .end(.released))
      var expected = before
      expected.state = .queued
      expected.claim = nil
      expected.attempts = max(0, attempts - 1)
      #expect(run.row == expected)
    }
  }

  @Test(arguments: [(Int64(500), Int64(1000)), (2000, 2000)])
  func `an upload that is confirmed leaves nothing open`(usedAt: Int64, expectedUse: Int64) {
    let before = Self.full(.uploading) { $0.usedAt = usedAt }
    var run = Run(before)
    #expect(run.take(.confirmed(RemoteAttachment(byteCount: 10))) == .end(.synced))
    var expected = before
    expected.state = .synced
    expected.claim = nil
    expected.session = nil
    expected.progress = 10
    expected.errorCode = nil
    expected.notBefore = 0
    expected.usedAt = expectedUse
    #expect(run.row == expected)
  }

  @Test(arguments: [(Int64(500), Int64(1000)), (2000, 2000)])
  func `a download that is fetched leaves nothing open`(usedAt: Int64, expectedUse: Int64) {
    let before = Self.full(.downloading, .download) {
      $0.usedAt = usedAt
      $0.progress = 4
    }
    let file = AttachmentRow.LocalFile(path: "content/x", modified: 950)
    var run = Run(before)
    #expect(run.take(.fetched(file, byteCount: 12)) == .end(.synced))
    var expected = before
    expected.state = .synced
    expected.claim = nil
    expected.file = file
    expected.byteCount = 12
    expected.partial = nil
    expected.progress = 0
    expected.error = nil
    expected.errorCode = nil
    expected.notBefore = 0
    expected.usedAt = expectedUse
    #expect(run.row == expected)
  }

  @Test func `what is missed drops the part that is here and waits`() {
    let before = Self.full(.downloading, .download)
    var run = Run(before)
    #expect(run.take(.missed) == .end(.failed))
    var expected = before
    expected.state = .queued
    expected.claim = nil
    expected.partial = nil
    expected.error = nil
    expected.errorCode = "ATTACHMENT_NOT_YET_AVAILABLE"
    #expect(run.row == expected)
  }

  @Test func `a claim ends the wait, and one beyond the budget ends the row's`() {
    var claimed = Run(Self.full(.failed))
    #expect(claimed.take(.claimUpload) == .verify(isThorough: false))
    var expected = Self.full(.failed)
    expected.state = .uploading
    expected.claim = token
    expected.attempts = 4
    expected.notBefore = 0
    #expect(claimed.row == expected)
    let spent = Self.full(.failed) {
      $0.attempts = 5
      $0.claim = staleToken
    }
    var refused = Run(spent)
    #expect(refused.take(.claimUpload) == .end(.notClaimed))
    expected = spent
    expected.claim = nil
    expected.isPermanent = true
    expected.notBefore = 0
    #expect(refused.row == expected)
  }

  /// An object that was found, and whether it is surely what was sent.
  @Test(arguments: [
    (RemoteAttachment(sha256: pictureHash, byteCount: 10), true),
    (RemoteAttachment(sha256: pictureHash), true), (RemoteAttachment(byteCount: 10), true),
    (RemoteAttachment(sha256: pictureHash, byteCount: 11), false),
    (RemoteAttachment(byteCount: 11), false), (RemoteAttachment(), false),
    (RemoteAttachment(sha256: String(repeating: "0", count: 64), byteCount: 10), false),
    (RemoteAttachment(sha256: "no hash", byteCount: 10), true),
  ])
  func `an object that is there counts when it is surely ours`(
    remote: RemoteAttachment,
    isOurs: Bool
  ) {
    var run = Run(Self.full(.uploading))
    #expect(run.take(.checked(remote)) == (isOurs ? .end(.synced) : .verify(isThorough: true)))
    #expect(run.row.state == (isOurs ? .synced : .uploading))
  }

  @Test func `a file that was read is trusted from then on, and found when nobody knew of it`() {
    for hasFile in [true, false] {
      var run = Run(Self.full(.uploading) { if !hasFile { $0.file = nil } })
      #expect(
        run.take(.verified(.good(modified: 950, byteCount: 10)))
          == .probe(UploadSession(token: 1, offset: 4))
      )
      #expect(run.row.file?.modified == 950)
      #expect(run.row.file?.path == AttachmentPath.content(of: pictureHash))
    }
  }

  @Test func `the fifth answer that moves nothing ends the attempt, whatever was asked`() {
    let session = UploadSession(token: 1, offset: 4)
    var run = Run(Self.full(.uploading))
    for _ in 0..<4 {
      #expect(run.take(.threw(.http(500), during: .probe)) == .probe(session))
    }
    #expect(run.take(.probed(UploadSession(token: 2, offset: 4))) == .end(.failed))
    #expect(run.row.session?.token == 2, "what it said last is kept")
    #expect(run.row.error == "500" && run.row.errorCode == "TRANSFER")
  }

  @Test func `what the server says of the type counts, and its silence does not`() {
    for (told, expected) in [("image/gif", "image/gif"), (nil, "image/png")] {
      var run = Run(Self.full(.downloading, .download))
      _ = run.take(.found(RemoteAttachment(sha256: pictureHash, byteCount: 10, contentType: told)))
      #expect(run.row.contentType == expected)
    }
  }

  @Test(arguments: [AttachmentState.uploading, .downloading])
  func `a busy server leaves its word on the row, which waits`(state: AttachmentState) {
    let before = Self.full(state, state == .uploading ? .upload : .download)
    var run = Run(before)
    let error = SyncError.http(503, retryAfter: .seconds(60))
    #expect(run.take(.threw(error, during: .begin)) == .end(.refused(error)))
    var expected = before
    expected.state = .queued
    expected.claim = nil
    expected.attempts = 2
    expected.error = "503"
    expected.errorCode = "TRANSFER"
    expected.notBefore = 61_000
    #expect(run.row == expected)
  }

  @Test(arguments: [AttachmentState.uploading, .downloading])
  func `a failure leaves its word on the row, which waits or has stopped for good`(
    state: AttachmentState
  ) {
    for attempts in [3, 5] {
      let before = Self.full(state, state == .uploading ? .upload : .download) {
        $0.attempts = attempts
      }
      var run = Run(before)
      let error = SyncError(.transfer, "no", retryAfter: .seconds(3600))
      #expect(run.take(.threw(error, during: .fetch)) == .end(.failed))
      var expected = before
      expected.state = .failed
      expected.claim = nil
      expected.error = "no"
      expected.errorCode = "TRANSFER"
      expected.isPermanent = attempts == 5
      expected.notBefore = attempts == 5 ? 0 : 3_601_000
      #expect(run.row == expected)
    }
  }

  @Test func `an offset that moves forgets what failed before, whoever tells it`() {
    let events: [(UploadSession) -> TransferEvent] = [{ .probed($0) }, { .sent($0) }]
    for event in events {
      var run = Run(Self.full(.uploading))
      for offset in Int64(5)...9 {
        for _ in 0..<4 { _ = run.take(.threw(.http(500), during: .probe)) }
        let moved = UploadSession(token: 1, offset: offset)
        #expect(run.take(event(moved)) == .send(moved))
      }
      #expect(run.take(.probed(nil)) == .check)
      #expect(run.take(.checked(nil)) == .verify(isThorough: true), "no failure is left to tell")
    }
  }
}
