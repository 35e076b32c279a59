import OfflineSync
import OfflineSyncTesting
import Testing

/// What watchers are told.
@Suite(.timeLimit(.minutes(15)))
struct WatchTests {
  /// `uploading 4/10`, as the tests write statuses.
  private func line(_ status: AttachmentStatus) -> String {
    let total = status.byteCount.map { "/\($0)" } ?? ""
    return "\(status.state.rawValue) \(status.progress)\(total)"
  }

  private func lines(
    _ stream: AsyncStream<AttachmentStatus>,
    until state: AttachmentState
  ) async -> [String] {
    var lines: [String] = []
    for await status in stream {
      lines.append(line(status))
      if status.state == state { break }
    }
    return lines
  }

  @Test func `an upload is told step by step, once each`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let stream = await world.queue.watch(reference)
    _ = try await world.queue.sync()
    #expect(
      await lines(stream, until: .synced) == [
        "queued 0/10", "uploading 0/10", "uploading 4/10", "uploading 8/10", "uploading 10/10",
        "synced 10/10",
      ]
    )
  }

  @Test func `a reference without a row is missing until it has one`() async throws {
    let world = try await World()
    let stream = await world.queue.watch("me/1/a.png")
    try await world.pulledAttachment()
    _ = try await world.queue.resolve("me/1/a.png")
    _ = try await world.queue.remove("me/1/a.png")
    var states: [AttachmentState] = []
    for await status in stream {
      states.append(status.state)
      if states.count > 1, status.state == .missing { break }
    }
    #expect(states == [.missing, .queued, .downloading, .synced, .missing])
  }

  @Test func `missing says nothing but its name`() {
    #expect(AttachmentStatus.missing == AttachmentStatus(state: .missing))
    #expect(!AttachmentStatus.missing.permanent && AttachmentStatus.missing.localPath == nil)
  }

  @Test func `watchers of all hear every row first, then every change`() async throws {
    let world = try await World()
    try await world.pulledAttachment("me/2/b.png", picture, in: "2")
    try await world.pulledAttachment()
    let stream = await world.queue.watchAll()
    _ = try await world.queue.resolve("me/2/b.png")
    try await world.pull(deleted: ["1"])
    var updates: [String] = []
    for await update in stream {
      updates.append("\(update.reference) \(update.status.state.rawValue)")
      if update.status.state == .orphaned { break }
    }
    #expect(
      updates == [
        "me/1/a.png queued", "me/2/b.png queued", "me/2/b.png downloading", "me/2/b.png synced",
        "me/1/a.png orphaned",
      ]
    )
  }

  @Test func `small steps of a large upload are told every percent`() async throws {
    let world = try await World(server: ScriptedTransfer(chunkByteCount: 1))
    let reference = try await world.pushedAttachment([UInt8](repeating: 7, count: 1000))
    let stream = await world.queue.watch(reference)
    _ = try await world.queue.sync()
    let told = await lines(stream, until: .synced)
    #expect(told.count <= 105 && told.count >= 100)
    #expect(told.last == "synced 1000/1000")
    let row = try #require(try await world.status(reference))
    #expect(row.progress == 1000)
  }

  @Test func `streams end with the client, after what waited`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let one = await world.queue.watch(reference)
    let all = await world.queue.watchAll()
    _ = try await world.queue.sync()
    try await world.client.close()
    var states: [AttachmentState] = []
    for await status in one { states.append(status.state) }
    #expect(states.last == .synced)
    var count = 0
    for await _ in all { count += 1 }
    #expect(count == states.count)
    var late = 0
    for await _ in await world.queue.watch(reference) { late += 1 }
    #expect(late == 0)
    await #expect(throws: SyncError(.engineUnavailable, "")) {
      try await world.queue.getStatus(reference)
    }
  }

  @Test func `of many values the oldest progress goes first`() {
    func update(_ state: AttachmentState, _ progress: Int64) -> AttachmentUpdate {
      AttachmentUpdate(
        reference: "a",
        status: AttachmentStatus(state: state, progress: progress)
      )
    }
    var mailbox = AttachmentMailbox([update(.queued, 0)], of: nil, limit: 4)
    for progress in Int64(1)...9 {
      let isNew = mailbox.put(update(.uploading, progress))
      let isRepeated = mailbox.put(update(.uploading, progress))
      #expect(isNew && !isRepeated, "equal neighbours are not repeated")
    }
    _ = mailbox.put(update(.synced, 9))
    #expect(mailbox.count == 4)
    var values: [AttachmentUpdate] = []
    while let value = mailbox.take() { values.append(value) }
    #expect(values.first == update(.queued, 0) && values.last == update(.synced, 9))
  }

  @Test func `the newest state of each reference stays, however many there are`() {
    func update(_ number: Int, _ state: AttachmentState) -> AttachmentUpdate {
      AttachmentUpdate(reference: "\(number)", status: AttachmentStatus(state: state))
    }
    var mailbox = AttachmentMailbox([], of: nil, limit: 8)
    for number in 0..<8 { _ = mailbox.put(update(number, .queued)) }
    for number in 0..<8 { _ = mailbox.put(update(number, .synced)) }
    var states: [String: AttachmentState] = [:]
    while let value = mailbox.take() { states[value.reference] = value.status.state }
    #expect(states.count == 8 && states.values.allSatisfy { $0 == .synced })
  }

  @Test func `a reader follows the writer`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let reader = try await World(server: world.server, test: world.test, disk: world.disk) {
      $0.access = .readOnly
    }
    let stream = await reader.queue.watch(reference)
    _ = try await world.queue.sync()
    #expect(try await reader.status(reference)?.state == .synced)
    let told = await lines(stream, until: .synced)
    #expect(told.first == "queued 0/10" && told.last == "synced 10/10")
  }

  @Test func `a reader shows a transfer whose writer died as interrupted`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .begin)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await world.queue.sync() }
      await pause.reached()
      let alive = try await World(server: world.server, test: world.test, disk: world.disk) {
        $0.access = .readOnly
      }
      #expect(try await alive.status(reference)?.state == .uploading)
      let reader = try await world.afterKill { $0.access = .readOnly }
      #expect(try await reader.status(reference)?.state == .queued)
      group.cancelAll()
    }
  }
}
