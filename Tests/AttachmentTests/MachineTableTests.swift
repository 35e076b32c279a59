import OfflineSync
import Testing

/// Every state answers every event: what must hold whatever comes.
struct MachineTableTests {
  @Test(arguments: everyRow)
  func `a late answer under an old token changes nothing`(row: AttachmentRow) {
    for event in everyEvent where event != .claimUpload && event != .claimDownload {
      var machine = AttachmentMachine(row, terms)
      var attempt = TransferAttempt(token: staleToken)
      #expect(machine.take(event, by: &attempt) == .end(.stale), "\(event)")
      #expect(machine.row == row)
    }
  }

  @Test(arguments: everyRow)
  func `a row is held exactly while it is moved`(row: AttachmentRow) {
    for event in everyEvent {
      var machine = AttachmentMachine(row, terms)
      var attempt = TransferAttempt(token: token)
      let step = machine.take(event, by: &attempt)
      expectSound(machine.row, after: "\(event)")
      #expect((machine.row.claim != nil) == (machine.row.state.isMoving), "\(event)")
      let isHeld = machine.row.claim == token && machine.row.state.isMoving
      if case .end(let end) = step {
        #expect(!isHeld || end == .stale || end == .notClaimed, "\(event) ended with \(end)")
      } else {
        #expect(isHeld, "\(event) goes on with \(step)")
      }
    }
  }

  @Test(arguments: everyRow)
  func `acts leave a sound row`(row: AttachmentRow) {
    for act in everyAct {
      var machine = AttachmentMachine(row, terms)
      let isTaken = machine.take(act)
      expectSound(machine.row, after: "\(act)")
      #expect(isTaken || machine.row == row, "\(act)")
    }
  }

  @Test(arguments: everyRow)
  func `a row reads back as it was written`(row: AttachmentRow) throws {
    for event in everyEvent {
      var machine = AttachmentMachine(row, terms)
      var attempt = TransferAttempt(token: token)
      _ = machine.take(event, by: &attempt)
      let read = try AttachmentRow(json: machine.row.json, reference: row.reference)
      #expect(read == machine.row, "\(event)")
    }
  }

  @Test(arguments: everyRow)
  func `only what waits can be claimed, and each claim is charged`(row: AttachmentRow) {
    for event in [TransferEvent.claimUpload, .claimDownload] {
      var machine = AttachmentMachine(row, terms)
      var attempt = TransferAttempt(token: "new")
      let step = machine.take(event, by: &attempt)
      let isWaiting = [.queued, .failed].contains(row.state) && !row.isPermanent
      let isRightWay = (event == .claimUpload) == (row.direction == .upload)
      #expect((machine.row.claim == "new") == (isWaiting && isRightWay))
      #expect(machine.row.attempts == row.attempts + (isWaiting && isRightWay ? 1 : 0))
      #expect((step == .end(.notClaimed)) == !(isWaiting && isRightWay))
    }
  }

  @Test func `a claim without anything left of the budget stops the row for good`() {
    var spent = row(.queued)
    spent.attempts = 5
    spent.error = "no route"
    var machine = AttachmentMachine(spent, terms)
    var attempt = TransferAttempt(token: token)
    #expect(machine.take(.claimUpload, by: &attempt) == .end(.notClaimed))
    #expect(machine.row.state == .failed && machine.row.isPermanent && machine.row.attempts == 5)
    #expect(machine.row.error == "no route", "the reason stays")
  }

  @Test func `a row that no server copy names is not claimed`() {
    var waiting = row(.queued)
    waiting.mentions[0].isOnServer = false
    var machine = AttachmentMachine(waiting, terms)
    var attempt = TransferAttempt(token: token)
    #expect(machine.take(.claimUpload, by: &attempt) == .end(.notClaimed))
    #expect(machine.row == waiting)
  }

  private func expectSound(_ row: AttachmentRow, after event: String) {
    #expect(row.attempts >= 0, "\(event)")
    #expect(!row.isPermanent || row.state == .failed, "\(event)")
    #expect(row.state != .synced || row.errorCode == nil, "\(event)")
    #expect(row.progress == row.session?.offset ?? row.progress, "\(event)")
    #expect(row.notBefore == 0 || row.state == .failed || row.state == .queued, "\(event)")
    let progress = row.status(root: "/a").progress
    #expect(row.direction == .upload || progress == 0, "\(event)")
    #expect((0...10).contains(progress), "\(event)")
    #expect(row.state != .evicted || row.file == nil, "\(event)")
  }
}

extension AttachmentState {
  var isMoving: Bool { self == .uploading || self == .downloading }
}
