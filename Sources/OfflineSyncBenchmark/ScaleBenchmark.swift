import OfflineSync

/// Whether what one event costs depends on how many records there are.
///
/// In memory: on a disk the wait for it would hide much of what grows with the collection.
struct ScaleBenchmark {
  let isQuick: Bool

  func run() async throws {
    let small = try await SyncClient.inMemory()
    try await small.fill(2000)
    let large = try await SyncClient.inMemory()
    try await large.fill(isQuick ? 100_000 : 1_000_000)
    try await compare("scale.resync_with_nothing_new", small, large) { client, _ in
      let start = ContinuousClock.now
      try await client.pull("nothing") { nil }
      return (ContinuousClock.now - start).seconds
    }
    try await compare("scale.edit", small, large) { client, number in
      let id = RecordID(SampleRecords.id(number))
      let record = try SampleRecords.record(number, round: number + 1)
      let start = ContinuousClock.now
      try await client.store.update(record, id: id, in: "contacts")
      let end = ContinuousClock.now
      try await client.store.revert(id, in: "contacts")
      return (end - start).seconds
    }
    for client in [small, large] {
      try await client.manager.createSyncUp(
        target: AgreeableTarget(),
        collection: "contacts",
        name: "up"
      )
    }
    try await compare("scale.push_and_acknowledge_one_change", small, large) { client, number in
      let id = RecordID(SampleRecords.id(number))
      let record = try SampleRecords.record(number, round: number + 1)
      try await client.store.update(record, id: id, in: "contacts")
      let start = ContinuousClock.now
      let state = try await client.manager.reSync("up")
      let end = ContinuousClock.now
      guard state.counts.sent == 1 else { throw BenchmarkError("the change was not taken") }
      return (end - start).seconds
    }
    try await compare("scale.round_with_nothing_to_do", small, large) { client, _ in
      try await client.manager.ensureSyncDown(
        target: SampleTarget { nil },
        collection: "contacts",
        name: "contacts"
      )
      let start = ContinuousClock.now
      let report = try await client.sync()
      let end = ContinuousClock.now
      guard report.succeeded else { throw BenchmarkError("the round failed: \(report)") }
      return (end - start).seconds
    }
    try await compare("scale.status_event", small, large) { client, number in
      guard let id = await client.store.syncRow(named: "contacts")?.id else {
        throw BenchmarkError("no sync")
      }
      let start = ContinuousClock.now
      try await client.store.changeSync(id) { $0.totalSize = number + 1 }
      return (ContinuousClock.now - start).seconds
    }
    try await compareQueues()
    try await small.close()
    try await large.close()
  }

  /// What pushing one change costs when few and when many wait.
  private func compareQueues() async throws {
    let many = isQuick ? 2000 : 10_000
    var times: [Double] = []
    var ratios: [Double] = []
    for _ in 0..<5 {
      let short = try await secondsPerPush(queued: 400)
      let long = try await secondsPerPush(queued: many)
      times.append(long)
      ratios.append(long / short)
    }
    Figure(name: "scale.push_one_of_\(many)", value: times.median * 1e6, unit: "us").report()
    Figure(
      name: "scale.push_one_of_\(many).large_to_small",
      value: ratios.median,
      unit: "x",
      target: .atMost(1.5)
    ).report()
  }

  private func secondsPerPush(queued count: Int) async throws -> Double {
    let client = try await SyncClient.inMemory()
    try await client.fill(max(count, SampleRecords.pageSize))
    for number in 0..<count {
      let id = RecordID(SampleRecords.id(number))
      try await client.store.update(
        SampleRecords.record(number, round: 1),
        id: id,
        in: "contacts"
      )
    }
    let start = ContinuousClock.now
    let state = try await client.manager.syncUp(target: AgreeableTarget(), collection: "contacts")
    let end = ContinuousClock.now
    guard state.counts.sent == count else { throw BenchmarkError("not all changes were taken") }
    try await client.close()
    return (end - start).seconds / Double(count)
  }

  private func compare(
    _ name: String,
    _ small: SyncClient,
    _ large: SyncClient,
    _ event: (SyncClient, Int) async throws -> Double
  ) async throws {
    var times: [Double] = []
    var ratios: [Double] = []
    for number in 0..<(isQuick ? 100 : 500) {
      let one = try await event(small, number)
      let other = try await event(large, number)
      times.append(other)
      ratios.append(other / one)
    }
    Figure(name: name, value: times.median * 1e6, unit: "us").report()
    Figure(
      name: "\(name).large_to_small",
      value: ratios.median,
      unit: "x",
      target: .atMost(1.5)
    ).report()
  }
}
