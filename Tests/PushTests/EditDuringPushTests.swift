import OfflineSync
import OfflineSyncTesting
import Testing

/// Edits between a send and its answer: whatever the answer is, the last edit reaches the server, once.
@Suite(.timeLimit(.minutes(15)))
struct EditDuringPushTests {
  enum Start: String, CaseIterable { case create, update, delete }
  enum During: String, CaseIterable { case nothing, sameField, otherField, delete, revert }
  enum Answer: String, CaseIterable {
    case taken, takenWithRecord, refused, refusedForNow, busy, skipped, unanswered, lost,
      neverArrived
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let start: Start
    let during: During
    let answer: Answer
    var testDescription: String { "\(start), \(during), \(answer)" }
  }

  static let cases: [Case] = Start.allCases.flatMap { start in
    During.allCases.flatMap { during in
      Answer.allCases.map { Case(start: start, during: during, answer: $0) }
    }
  }

  @Test(arguments: cases)
  func `the last edit is what the server has in the end`(_ example: Case) async throws {
    let run = try await Run(example)
    try await run.push()
    try await run.checkAfterAnswer()
    for _ in 0..<3 where try await run.device.store.pendingCount() > 0 {
      for id in try await run.device.dirty() {
        try await run.device.store.retry(id, in: "contacts")
      }
      try await run.device.push(run.server)
    }
    try await run.checkEnd()
  }

  /// One case on a device and a server of its own.
  struct Run {
    let example: Case
    let device: Device
    let server: ScriptedServer
    let id: RecordID

    init(_ example: Case) async throws {
      self.example = example
      var behaviour = ScriptedServer.Behaviour()
      behaviour.honoursOperationIDs = true
      behaviour.answersWithRecords = example.answer == .takenWithRecord
      server = ScriptedServer(example.start == .create ? [] : people(1), behaviour: behaviour)
      device = try await Device.pulled(from: server)
      switch example.start {
      case .create:
        id = try await device.store.create(["Name": "E", "Phone": 0], in: "contacts")
      case .update:
        id = "a"
        try await device.set("Name", to: "E", of: id)
      case .delete:
        id = "a"
        try await device.store.delete(id, in: "contacts")
      }
    }

    func push() async throws {
      switch example.answer {
      case .taken, .takenWithRecord: break
      case .refused:
        server.replyToNextSend(
          with: .outcome(.failed(RecordFailure(code: "BAD", message: "no")))
        )
      case .refusedForNow:
        server.replyToNextSend(
          with: .outcome(.failed(RecordFailure(code: "BAD", message: "no", isRetryable: true)))
        )
      case .busy:
        server.replyToNextSend(
          with: .outcome(.failed(RecordFailure(code: "BUSY", message: "later", httpStatus: 503)))
        )
      case .skipped: server.replyToNextSend(with: .outcome(.skipped(reason: "not now")))
      case .unanswered: server.replyToNextSend(with: .shortAnswer(0))
      case .lost: server.replyToNextSend(with: .lostReply(OddError()))
      case .neverArrived: break
      }
      let isDone = example.during == .nothing
      server.beforeReply { [self] _ in
        if !isDone { try await edit() }
        server.beforeReply(nil)
        if example.answer == .neverArrived { throw OddError() }
      }
      if example.answer == .neverArrived {
        // It arrives in this server's view, so that the edit falls between; then it is taken back.
        server.replyToNextSend(with: .outcome(.unknown))
      }
      try await device.push(server)
      server.beforeReply(nil)
    }

    private func edit() async throws {
      let store = device.store
      switch example.during {
      case .nothing: break
      case .sameField, .otherField:
        let field = example.during == .sameField ? "Name" : "Phone"
        let value: JSON = example.during == .sameField ? "F" : 9
        if example.start == .delete {
          var body: Record = ["Id": "a", "Name": "E", "Phone": 0]
          body[field] = value
          try await store.create(body, in: "contacts")
        } else {
          try await device.set(field, to: value, of: id)
        }
      case .delete:
        if example.start == .delete {
          try await store.revert(id, in: "contacts")
        }
        try await store.delete(id, in: "contacts")
      case .revert: try await store.revert(id, in: "contacts")
      }
    }

    /// Whether the server has done what was sent.
    private var isTaken: Bool { [.taken, .takenWithRecord].contains(example.answer) }

    func checkAfterAnswer() async throws {
      let stored = try await device.stored(id)
      let isUnknown = [.unanswered, .lost, .neverArrived].contains(example.answer)
      let explanation = stored == nil ? nil : try await device.store.explain(id, in: "contacts")
      #expect(explanation?.isOutcomeUnknown ?? false == isUnknown)
      if example.during == .nothing {
        #expect((stored?.change == nil) == isTaken)
      }
    }

    private var expected: [String: JSON]? {
      switch (example.start, example.during) {
      case (.create, .nothing), (.update, .nothing): ["Name": "E", "Phone": 0]
      case (.delete, .nothing), (_, .delete), (.create, .revert): nil
      case (_, .sameField): ["Name": "F", "Phone": 0]
      case (_, .otherField): ["Name": "E", "Phone": 9]
      case (.update, .revert), (.delete, .revert): ["Name": "N0", "Phone": 0]
      }
    }

    func checkEnd() async throws {
      #expect(try await device.store.pendingCount() == 0)
      #expect(try await device.store.conflicts(in: "contacts") == [])
      let stored = try await device.stored(id)
      var mine = fields(stored?.record)
      mine?["Id"] = nil
      var theirs = fields(server.records.first)
      theirs?["Id"] = nil
      #expect(mine == expected)
      #expect(theirs == expected)
      #expect(server.records.count == (expected == nil ? 0 : 1))
      #expect(stored?.lastError == nil)
      try await device.pull(server)
      #expect(try await device.store.count(in: "contacts") == server.records.count)
      let again = try await device.reopened()
      #expect(try await again.store.pendingCount() == 0)
    }
  }
}
