import OfflineSync
import Testing

/// What users, openings and vacuums do to a row, state by state.
struct MachineActTests {
  @Test(arguments: [
    (AttachmentState.queued, AttachmentState.queued), (.uploading, .queued),
    (.downloading, .queued), (.failed, .queued), (.synced, .synced), (.orphaned, .orphaned),
    (.evicted, .evicted),
  ])
  func `retry brings back what is not done, and forgives`(
    from: AttachmentState,
    to: AttachmentState
  ) {
    let before = row(from)
    let after = taking(.retry, before)
    #expect(after.state == to)
    if to == .queued {
      #expect(after.attempts == 0 && !after.isPermanent && after.claim == nil)
      #expect(after.error == nil && after.errorCode == nil && after.notBefore == 0)
    } else {
      #expect(after == before)
    }
  }

  @Test func `only retry brings back what is stopped for good`() {
    let stopped = row(.failed, isPermanent: true)
    for act in everyAct where act != .retry && act != .fileMissing {
      #expect(taking(act, stopped) == stopped, "\(act)")
    }
    for event in everyEvent {
      var machine = AttachmentMachine(stopped, terms)
      var attempt = TransferAttempt(token: token)
      _ = machine.take(event, by: &attempt)
      #expect(machine.row == stopped, "\(event)")
    }
    #expect(taking(.retry, stopped).state == .queued)
    #expect(taking(.fileMissing, stopped).isPermanent)
  }

  @Test(arguments: [
    (AttachmentState.queued, AttachmentState.failed, 0), (.uploading, .failed, 1),
    (.downloading, .failed, 1), (.failed, .failed, 2), (.synced, .synced, 0),
    (.orphaned, .orphaned, 0), (.evicted, .evicted, 0),
  ])
  func `cancel stops a transfer and gives its attempt back`(
    from: AttachmentState,
    to: AttachmentState,
    attempts: Int
  ) {
    let after = taking(.cancel, row(from))
    #expect(after.state == to && after.attempts == attempts && after.claim == nil)
  }

  @Test(arguments: [AttachmentState.uploading, .downloading])
  func `a transfer that died leaves its attempt charged and what it had confirmed`(
    state: AttachmentState
  ) {
    var held = row(state, state == .uploading ? .upload : .download)
    held.session = UploadSession(token: 1, offset: 4)
    held.progress = 4
    let after = taking(.recover, held)
    #expect(after.state == .queued && after.claim == nil && after.attempts == 2)
    #expect(after.session == held.session && after.progress == 4)
  }

  @Test func `bytes that are wanted again become a download with a budget of its own`() {
    var synced = row(.synced)
    synced.attempts = 5
    synced.error = "no route"
    synced.progress = 10
    let after = taking(.wantedAgain, synced)
    #expect(after.state == .queued && after.direction == .download && after.attempts == 0)
    #expect(after.error == nil && after.errorCode == nil && after.sha256 == pictureHash)
    #expect(after.progress == 0 && after.file == nil)
  }

  @Test func `a vanished file fails what is not confirmed, and nothing else`() {
    for state in [AttachmentState.queued, .failed] {
      let after = taking(.fileMissing, row(state))
      #expect(after.state == .failed && after.errorCode == "STORE" && !after.isPermanent)
      #expect(after.file == nil)
    }
    let synced = taking(.fileMissing, row(.synced))
    #expect(synced.state == .synced && synced.file == nil && synced.errorCode == nil)
  }

  @Test(arguments: [
    (AttachmentState.queued, true), (.failed, true), (.uploading, false), (.synced, false),
    (.orphaned, false), (.evicted, false),
  ])
  func `a changed file fails what is not confirmed and not on its way, and stays where it is`(
    state: AttachmentState,
    isBlamed: Bool
  ) {
    var before = row(state)
    before.file = .init(path: AttachmentPath.content(of: pictureHash), modified: 7)
    let after = taking(.fileChanged, before)
    #expect(after.file == before.file)
    if isBlamed {
      #expect(after.state == .failed && after.errorCode == "STORE" && !after.isPermanent)
      #expect(after.error?.contains("changed") == true)
    } else {
      #expect(after == before)
    }
  }

  @Test(arguments: [
    (SyncError.http(401), AttachmentState.evicted, 0), (.http(403), .evicted, 0),
    (SyncError(.authentication, "?"), .evicted, 0), (.http(500), .orphaned, 1),
    (SyncError(.network, "off"), .orphaned, 1), (.http(429), .orphaned, 0),
    (.http(503), .orphaned, 0),
  ])
  func `an object that is not deleted`(error: SyncError, to: AttachmentState, attempts: Int) {
    let after = taking(.deletionFailed(error), row(.orphaned))
    #expect(after.state == to && after.attempts == attempts)
    #expect((after.error == nil) == (to == .evicted))
    #expect((after.file == nil) == (to == .evicted))
    var last = row(.orphaned)
    last.attempts = 4
    let spent = taking(.deletionFailed(error), last).state
    #expect(spent == (attempts == 1 ? .evicted : to))
  }

  private func taking(_ act: AttachmentAct, _ row: AttachmentRow) -> AttachmentRow {
    var machine = AttachmentMachine(row, terms)
    machine.take(act)
    return machine.row
  }
}
