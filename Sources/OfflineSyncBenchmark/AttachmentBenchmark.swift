import OfflineSync

/// What one upload costs, claimed, sent and settled, in a short queue and in a long one.
///
/// In memory, and with a server that answers at once: only the queue's own work is left.
struct AttachmentBenchmark {
  let isQuick: Bool

  func run() async throws {
    let longCount = isQuick ? 2000 : 10_000
    var times: [Double] = []
    var ratios: [Double] = []
    for _ in 0..<3 {
      let short = try await secondsPerUpload(queued: 400)
      let long = try await secondsPerUpload(queued: longCount)
      times.append(long)
      ratios.append(long / short)
    }
    Figure(
      name: "attachments.upload_one_of_\(longCount)",
      value: times.median * 1e6,
      unit: "us"
    ).report()
    Figure(
      name: "attachments.long_queue_to_short",
      value: ratios.median,
      unit: "x",
      target: .atMost(1.5)
    ).report()
  }

  private func secondsPerUpload(queued count: Int) async throws -> Double {
    var configuration = SyncClient.Configuration()
    configuration.owner = "benchmark"
    configuration.attachmentColumns = [AttachmentColumn(collection: "contacts", field: "photo")]
    configuration.transfer = AgreeableTransfer()
    let client = try await SyncClient.inMemory(configuration: configuration)
    try await client.fill(max(count, SampleRecords.pageSize))
    for number in 0..<count {
      let field = AttachmentField(
        collection: "contacts",
        record: RecordID(SampleRecords.id(number)),
        field: "photo"
      )
      _ = try await client.attachments.attach(bytes: Array("photo \(number)".utf8), to: field)
    }
    let pushed = try await client.manager.syncUp(target: AgreeableTarget(), collection: "contacts")
    guard pushed.counts.sent == count else {
      throw BenchmarkError("\(pushed.counts.sent) of \(count) references were pushed")
    }
    let start = ContinuousClock.now
    let completedCount = try await client.attachments.sync()
    let end = ContinuousClock.now
    guard completedCount == count else {
      throw BenchmarkError("\(completedCount) of \(count) uploads were completed")
    }
    try await client.close()
    return (end - start).seconds / Double(count)
  }
}
