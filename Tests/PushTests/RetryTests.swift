import OfflineSync
import OfflineSyncTesting
import Testing

/// When what failed is tried again, and when it is not.
@Suite(.timeLimit(.minutes(15)))
struct RetryTests {
  private func edited(
    _ count: Int,
    random: @escaping @Sendable () -> UInt64 = { .max }
  ) async throws -> (Device, ScriptedServer) {
    let server = ScriptedServer(people(count))
    let device = try await Device(random: random)
    try await device.pull(server)
    for number in 0..<count {
      try await device.set("Name", to: .string("E\(number)"), of: RecordID(letter(number)))
    }
    return (device, server)
  }

  private func busy(
    status: Int? = nil,
    retryAfter: Duration? = nil,
    isRetryable: Bool = true
  ) -> PushOutcome {
    .failed(
      RecordFailure(
        code: "BUSY",
        message: "later",
        isRetryable: isRetryable,
        retryAfter: retryAfter,
        httpStatus: status
      )
    )
  }

  /// A push as `run()` does it: what waits for its time is left alone.
  private func pushDue(_ device: Device) async throws -> SyncState {
    let sync = try #require(await device.manager.sync("contactsUp"))
    return try await device.manager.reSync(sync.id, protecting: [], ignoresBackoff: false)
  }

  // MARK: - Backoff

  static let waits: [(random: UInt64, retryAfter: Duration?, wait: Int64)] = [
    (.max, nil, 1000), (0, nil, 1), (.max / 2, nil, 500), (0, .seconds(60), 60_000),
    (.max, .milliseconds(200), 1000), (0, .seconds(31_536_000), 3_600_000), (0, .seconds(-5), 1),
  ]

  @Test(arguments: waits)
  func `a refusal that may pass waits for chance, but at least as the server wishes`(
    _ random: UInt64,
    _ retryAfter: Duration?,
    _ wait: Int64
  ) async throws {
    let (device, server) = try await edited(1, random: { random })
    server.answer("a", with: busy(retryAfter: retryAfter))
    let state = try await device.push(server)
    let due = device.test.environment.now() + wait
    #expect(state.nextAttempt == due)
    #expect(try await device.stored("a")?.nextAttempt == due)
    #expect(try await device.stored("a")?.lastError?.retryAfter == retryAfter)
    let again = try await device.reopened()
    #expect(try await again.stored("a")?.nextAttempt == due)
    #expect(await again.manager.getSyncStatus("contactsUp")?.nextAttempt == due)
  }

  @Test func `what waits is left out of rounds that begin by themselves, not of others`()
    async throws
  {
    let (device, server) = try await edited(2)
    server.answer("a", with: busy())
    try await device.push(server)
    #expect(server.sends.map(\.id) == ["a", "b"])
    let early = try await pushDue(device)
    #expect((server.sends.count, early.counts.skipped) == (2, 1))
    #expect(early.nextAttempt == device.test.environment.now() + 1000)
    device.test.clock.advance(by: .seconds(1))
    _ = try await pushDue(device)
    #expect(server.sends.count == 3)
    #expect(
      try await device.stored("a")?.nextAttempt == device.test.environment.now() + 2000,
      "the wait doubles"
    )
    _ = try await device.manager.reSync("contactsUp")
    #expect(server.sends.count == 4)
    #expect(server.sends.map(\.attempts) == [0, 0, 1, 2])
    #expect(Set(server.sends.map(\.operationID)).count == 2)
  }

  @Test func `a clock that was set back does not hold a change for ever`() async throws {
    let server = ScriptedServer(people(1))
    let late = TestEnvironment(startingAt: 1_900_000_000_000)
    let device = try await Device(test: late)
    try await device.pull(server)
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .outcome(busy()))
    try await device.push(server)
    try await device.client.close()
    let early = try await Device(test: TestEnvironment(), disk: device.disk)
    await early.manager.register(ScriptedUpTarget.targetType, up: { _ in ScriptedUpTarget(server) })
    #expect(try await pushDue(early).counts.sent == 1)
    #expect(server["a"]?["Name"] == "E")
  }

  // MARK: - Parking

  @Test func `a change is parked after its attempts, until an edit or a retry`() async throws {
    let (device, server) = try await edited(2)
    server.answer("a", with: busy())
    let options = SyncOptions(maxAttempts: 3)
    for attempt in 1...3 {
      try await device.push(server, options: options)
      #expect(
        try await device.store.explain("a", in: "contacts").isParked == (attempt == 3)
      )
    }
    let parked = try await device.push(server, options: options)
    #expect((line(parked), parked.counts.skipped) == ("done 100/1", 1))
    #expect(parked.nextAttempt == 0)
    #expect(server.sends.filter { $0.id == "a" }.count == 3)
    await #expect(throws: SyncError("BUSY", "")) {
      try await device.store.waitUntilPushed("a", in: "contacts")
    }
    try await device.set("Name", to: "F", of: "a")
    #expect(try await device.stored("a")?.lastError == nil)
    try await device.push(server, options: options)
    #expect(server.sends.filter { $0.id == "a" }.count == 4)
    #expect(server.sends.last?.attempts == 0)
  }

  @Test func `what cannot succeed is parked at once`() async throws {
    let (device, server) = try await edited(1)
    server.answer("a", with: busy(status: 400, isRetryable: false))
    try await device.push(server)
    let explanation = try await device.store.explain("a", in: "contacts")
    #expect((explanation.isParked, explanation.attempts, explanation.nextAttempt) == (true, 1, 0))
    #expect(explanation.description.contains("parked"))
    #expect(try await device.store.retry("a", in: "contacts"))
    server.answer("a", with: nil)
    try await device.push(server)
    #expect(try await device.store.retry("a", in: "contacts") == false)
    #expect(try await device.store.waitUntilPushed("a", in: "contacts") == "a")
  }

  @Test func `a retried change goes first`() async throws {
    let (device, server) = try await edited(3)
    server.answer("b", with: busy(isRetryable: false))
    try await device.push(server)
    for id: RecordID in ["a", "c"] { try await device.set("Name", to: "F", of: id) }
    server.answer("b", with: nil)
    server.forgetCalls()
    try await device.store.retry("b", in: "contacts")
    try await device.push(server)
    #expect(server.sends.map(\.id) == ["b", "a", "c"])
  }

  @Test(arguments: [401, 429, 503])
  func `a server that is busy or does not know us spends no attempt`(_ status: Int) async throws {
    let (device, server) = try await edited(1)
    server.answer("a", with: busy(status: status, isRetryable: false))
    for _ in 1...4 { try await device.push(server, options: SyncOptions(maxAttempts: 1)) }
    #expect(server.sends.count == 4)
    let explanation = try await device.store.explain("a", in: "contacts")
    #expect((explanation.isParked, explanation.attempts) == (false, 0))
    #expect(explanation.nextAttempt > 0)
  }

  @Test func `an unknown caller ends the run, spends nothing and is tried with the next`()
    async throws
  {
    let (device, server) = try await edited(2)
    for send in 1...3 {
      server.reply(toSend: send, with: .failure(SyncError(.authentication, "who are you?")))
    }
    for _ in 1...3 {
      let state = try await device.push(server, options: SyncOptions(maxAttempts: 1))
      #expect((state.status, state.errorCode) == (.failed, "AUTHENTICATION"))
      #expect(state.nextAttempt == 0)
    }
    #expect(try await device.store.explain("a", in: "contacts").isParked == false)
    #expect(try await device.push(server).counts.sent == 2)
  }

  @Test func `the network parks nobody, and whom it fails too often goes last`() async throws {
    let (device, server) = try await edited(2)
    let options = SyncOptions(maxAttempts: 2)
    for send in 1...3 { server.reply(toSend: send, with: .failure(offline)) }
    for _ in 1...2 { try await device.push(server, options: options) }
    #expect(server.sends.map(\.id) == ["a", "a"])
    #expect(try await device.store.explain("a", in: "contacts").isParked == false)
    try await device.push(server, options: options)
    #expect(server.sends.map(\.id) == ["a", "a", "b"])
    #expect(try await device.push(server, options: options).counts.sent == 2)
    #expect(try await device.dirty() == [])
  }

  @Test func `attempts that the network took are not counted when the server refuses`()
    async throws
  {
    let (device, server) = try await edited(1)
    let options = SyncOptions(maxAttempts: 2)
    for send in 1...5 { server.reply(toSend: send, with: .failure(offline)) }
    for _ in 1...5 { try await device.push(server, options: options) }
    server.answer("a", with: busy())
    try await device.push(server, options: options)
    #expect(try await device.store.explain("a", in: "contacts").isParked == false)
    try await device.push(server, options: options)
    #expect(try await device.store.explain("a", in: "contacts").isParked)
  }

  @Test func `a record whose sends always throw is parked`() async throws {
    let (device, server) = try await edited(1)
    for send in 1...2 { server.reply(toSend: send, with: .failure(OddError())) }
    for _ in 1...3 { try await device.push(server, options: SyncOptions(maxAttempts: 2)) }
    #expect(server.sends.count == 2)
    let explanation = try await device.store.explain("a", in: "contacts")
    #expect((explanation.isParked, explanation.isOutcomeUnknown) == (true, true))
    try await device.set("Name", to: "F", of: "a")
    #expect(try await device.store.explain("a", in: "contacts").isParked == false)
    try await device.push(server)
    #expect(server.sends.suffix(2).map { $0.fields["Name"] } == ["E0", "F"])
  }

  // MARK: - One bad record

  @Test func `bad records do not hold the others`() async throws {
    let (device, server) = try await edited(4)
    server.answer("a", with: busy(isRetryable: false))
    server.reply(toSend: 2, with: .failure(OddError()))
    server.answer("c", with: .skipped(reason: "not now"))
    let state = try await device.push(server)
    #expect(line(state) == "done 100/4")
    #expect((state.counts.sent, state.counts.failed, state.counts.skipped) == (1, 2, 1))
    #expect(state.problems.map(\.name) == ["a", "b"])
    #expect(server.records.map { $0["Name"] } == ["N0", "N1", "N2", "E3"])
    #expect(try await device.stored("c")?.lastError?.message == "not now")
  }

  @Test func `three throws in a row end the run with the last error`() async throws {
    let (device, server) = try await edited(5)
    server.reply(toSend: 1, with: .failure(OddError()))
    for send in 3...5 { server.reply(toSend: send, with: .failure(OddError())) }
    let state = try await device.push(server)
    #expect((line(state), state.errorCode) == ("failed 80/5", "SYNC_TARGET_FAILED"))
    #expect(server.sends.map(\.id) == ["a", "b", "c", "d", "e"])
    #expect(try await device.dirty() == ["a", "c", "d", "e"])
  }

  @Test func `versions that cannot be asked fail the run`() async throws {
    let (device, server) = try await edited(2)
    server.failVersions(with: OddError())
    let state = try await device.push(server, .leaveIfChanged)
    #expect((state.status, state.errorCode) == (.failed, "SYNC_TARGET_FAILED"))
    #expect(server.sends == [])
    server.failVersions(with: nil)
    server.tell(.failed(RecordFailure(code: "ODD", message: "unreadable")), of: "a")
    let again = try await device.push(server, .leaveIfChanged)
    #expect((again.counts.sent, again.counts.failed) == (1, 1))
    #expect(again.problems.map(\.failure.code) == ["ODD"])
    #expect(try await device.stored("a")?.lastError?.code == "ODD")
  }

  // MARK: - Batches

  private func batchSizes(_ server: ScriptedServer) -> [Int] {
    server.calls.compactMap { call in
      if case .push(let changes) = call { changes.count } else { nil }
    }
  }

  @Test func `batches are cut by count`() async throws {
    let (device, server) = try await edited(5)
    let sync = try await device.manager.createSyncUp(
      target: ScriptedBatchUpTarget(server, maxBatchSize: 2),
      collection: "contacts"
    )
    let updates = await sync.watch()
    try await sync.run()
    #expect(batchSizes(server) == [2, 2, 1])
    #expect(
      await lines(updates).suffix(4) == [
        "running 0/5", "running 40/5", "running 80/5", "done 100/5",
      ]
    )
  }

  @Test func `batches are cut by bytes, and what is too large goes alone`() async throws {
    let (device, server) = try await edited(5)
    try await device.set("Name", to: .string(String(repeating: "x", count: 100)), of: "c")
    try await device.pushBatches(server, of: 10, bytes: 50)
    #expect(batchSizes(server) == [2, 2, 1])
    #expect(server.sends.map(\.id) == ["a", "b", "d", "e", "c"])
    #expect(server.sends.allSatisfy { $0.attempts == 0 })
    #expect(try await device.dirty() == [])
  }

  @Test func `a batch that is too large is halved, and a record that is is parked`() async throws {
    let (device, server) = try await edited(5)
    var tooLarge = SyncError(.syncTargetFailed, "too large")
    tooLarge.httpStatus = 413
    for send in [1, 2, 4] { server.reply(toSend: send, with: .failure(tooLarge)) }
    let state = try await device.pushBatches(server, of: 4)
    #expect(batchSizes(server) == [4, 2, 1, 1, 1, 1, 1])
    #expect(server.sends.suffix(5).map(\.id) == ["a", "b", "c", "d", "e"])
    #expect((state.status, state.counts.sent, state.counts.failed) == (.done, 4, 1))
    #expect(try await device.dirty() == ["b"])
    let explanation = try await device.store.explain("b", in: "contacts")
    #expect((explanation.isParked, explanation.isOutcomeUnknown) == (true, false))
  }

  @Test func `a short answer settles what it tells and leaves the rest unknown`() async throws {
    let (device, server) = try await edited(3)
    server.behaviour.answersProbes = true
    server.reply(toSend: 1, with: .shortAnswer(1))
    let state = try await device.pushBatches(server, of: 3)
    #expect((state.counts.sent, state.counts.failed) == (1, 2))
    #expect(try await device.dirty() == ["b", "c"])
    try await device.pushBatches(server, of: 3)
    #expect(batchSizes(server) == [3], "the others had arrived")
    #expect(try await device.dirty() == [])
  }

  @Test func `a batch that throws leaves all of it unknown`() async throws {
    let (device, server) = try await edited(3)
    server.reply(toSend: 1, with: .lostReply(offline))
    let state = try await device.pushBatches(server, of: 3)
    #expect(line(state) == "failed 0/3")
    #expect(try await device.dirty() == ["a", "b", "c"])
    try await device.pushBatches(server, of: 3)
    #expect(server.sends.map(\.attempts) == [0, 0, 0, 1, 1, 1])
    #expect(try await device.dirty() == [])
  }
}
