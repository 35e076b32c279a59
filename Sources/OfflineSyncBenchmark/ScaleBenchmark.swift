import OfflineSync

/// Whether what one event costs depends on how many records there are.
struct ScaleBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  func run() async throws {
    let small = try await folder.client("small")
    try await small.fill(2000)
    let large = try await folder.client("large")
    try await large.fill(isQuick ? 100_000 : 1_000_000)
    try await compare("scale.resync_with_nothing_new", small, large) { client, _ in
      let start = ContinuousClock.now
      try await client.pull("nothing") { nil }
      return (ContinuousClock.now - start).seconds
    }
    try await compare("scale.status_event", small, large) { client, number in
      guard let id = await client.store.syncRow(named: "contacts")?.id else {
        throw BenchmarkError("no sync")
      }
      let start = ContinuousClock.now
      try await client.store.changeSync(id) { $0.totalSize = number + 1 }
      return (ContinuousClock.now - start).seconds
    }
    try await small.close()
    try await large.close()
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
