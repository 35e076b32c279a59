import OfflineSync

/// How long one local edit takes, against appending and syncing as many bytes.
struct EditBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  func run() async throws {
    let client = try await folder.client("store")
    try await client.fill(10_000)
    var file = try RawFile(at: folder.path("file"))
    var times: [Double] = []
    var fileTimes: [Double] = []
    for number in 0..<(isQuick ? 500 : 3000) {
      let before = try folder.journalByteCount("store")
      let id = RecordID(SampleRecords.id(number % 10_000))
      let record = try SampleRecords.record(number % 10_000, round: number + 1)
      let start = ContinuousClock.now
      try await client.store.update(record, id: id, in: "contacts")
      times.append((ContinuousClock.now - start).seconds)
      let byteCount = try folder.journalByteCount("store") - before
      fileTimes.append(try file.append([UInt8](repeating: 120, count: Int(byteCount))))
    }
    try await client.close()
    Figure(name: "edit.one_record", value: times.median * 1e6, unit: "us").report()
    Figure(
      name: "edit.times_write_and_sync",
      value: times.median / fileTimes.median,
      unit: "x",
      target: .atMost(1.3)
    ).report()
  }
}
