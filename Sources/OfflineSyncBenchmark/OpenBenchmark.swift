import OfflineSync

/// How long opening takes, against SQLite reading every id and body of the same rows.
struct OpenBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  private let small = 100_000
  private var large: Int { isQuick ? 400_000 : 1_000_000 }

  init(folder: WorkFolder, isQuick: Bool) {
    self.folder = folder
    self.isQuick = isQuick
  }

  func run() async throws {
    for (name, count) in [("small", small), ("large", large)] {
      let client = try await folder.client(name)
      try await client.fill(count)
      try await client.close()
    }
    let sqlite = try SQLite.start()
    let database = folder.path("sqlite")
    if let sqlite { try fill(sqlite, database) }
    var smallTimes: [Double] = []
    var largeTimes: [Double] = []
    var ratios: [Double] = []
    for _ in 0..<(isQuick ? 15 : 31) {
      smallTimes.append(try await open("small"))
      if let sqlite {
        let seconds = try sqlite.seconds("scan", ["path": .string(database)])
        ratios.append(smallTimes[smallTimes.count - 1] / seconds)
      }
    }
    for _ in 0..<(isQuick ? 3 : 5) { largeTimes.append(try await open("large")) }
    Figure(
      name: "open.\(small)_records",
      value: smallTimes.median * 1000,
      unit: "ms"
    ).report()
    if !ratios.isEmpty {
      Figure(
        name: "open.times_sqlite_scan",
        value: ratios.median,
        unit: "x",
        target: .atMost(1)
      ).report()
    }
    Figure(
      name: "open.\(large)_records",
      value: largeTimes.median * 1000,
      unit: "ms"
    ).report()
    Figure(
      name: "open.linearity",
      value: largeTimes.median / smallTimes.median / Double(large / small),
      unit: "time per record, large to small",
      target: .atMost(1.5)
    ).report()
  }

  private func fill(_ sqlite: SQLite, _ database: String) throws {
    try sqlite.ask("create", ["path": .string(database)])
    for number in 0..<small / SampleRecords.pageSize {
      let path = folder.path("page.json")
      try folder.write(SampleRecords.page(number, round: 0), to: path)
      try sqlite.ask("ingest", ["page": .string(path)])
    }
    try sqlite.ask("close")
  }

  private func open(_ name: String) async throws -> Double {
    let start = ContinuousClock.now
    let client = try await folder.client(name)
    let end = ContinuousClock.now
    try await client.close()
    return (end - start).seconds
  }
}
