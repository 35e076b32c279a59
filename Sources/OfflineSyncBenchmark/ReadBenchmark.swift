import OfflineSync
import OfflineSyncTesting

/// How quickly one record is read by its id, against SQLite's prepared SELECT by primary key.
struct ReadBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  private let recordCount = 100_000
  private let batch = 5000

  init(folder: WorkFolder, isQuick: Bool) {
    self.folder = folder
    self.isQuick = isQuick
  }

  func run() async throws {
    let client = try await folder.client("store")
    try await client.fill(recordCount)
    let sqlite = try SQLite.start()
    if let sqlite { try fill(sqlite) }
    var random = SeededRandom(seed: 7)
    var times: [Double] = []
    var peerTimes: [Double] = []
    var ratios: [Double] = []
    for number in 0..<(isQuick ? 9 : 31) {
      let ids = (0..<batch).map { _ in
        RecordID(SampleRecords.id(Int.random(in: 0..<recordCount, using: &random)))
      }
      let time = try await read(ids, from: client.store)
      times.append(time)
      if let sqlite {
        let peer = try peerTime(sqlite, ids)
        peerTimes.append(peer)
        ratios.append(peer / time)
      }
      _ = number
    }
    try await client.close()
    Figure(
      name: "read.by_id",
      value: times.median / Double(batch) * 1e6,
      unit: "us"
    ).report()
    guard !ratios.isEmpty else { return }
    Figure(
      name: "read.by_id.sqlite",
      value: peerTimes.median / Double(batch) * 1e6,
      unit: "us"
    ).report()
    Figure(
      name: "read.times_sqlite_speed",
      value: ratios.median,
      unit: "x",
      target: .atLeast(1)
    ).report()
  }

  private func read(_ ids: [RecordID], from store: Store) async throws -> Double {
    let start = ContinuousClock.now
    for id in ids {
      guard try await store.record(id, in: "contacts") != nil else {
        throw BenchmarkError("record \(id) is missing")
      }
    }
    return (ContinuousClock.now - start).seconds
  }

  /// SQLite's time without that of Python's loop.
  private func peerTime(_ sqlite: SQLite, _ ids: [RecordID]) throws -> Double {
    let answer = try sqlite.ask("read", ["ids": .array(ids.map { .string($0.text) })])
    guard let whole = answer["whole"]?.double, let loop = answer["loop"]?.double else {
      throw BenchmarkError("no times for reading")
    }
    return whole - loop
  }

  private func fill(_ sqlite: SQLite) throws {
    try sqlite.ask("create", ["path": .string(folder.path("sqlite"))])
    for number in 0..<recordCount / SampleRecords.pageSize {
      let path = folder.path("page.json")
      try folder.write(SampleRecords.page(number, round: 0), to: path)
      try sqlite.ask("ingest", ["page": .string(path)])
    }
  }
}
