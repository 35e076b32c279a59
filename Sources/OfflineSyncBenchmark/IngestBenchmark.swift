import OfflineSync

/// How quickly the bytes of pages become durable records.
///
/// Page by page the store, SQLite and a plain file take the same bytes in turn, so a busy machine
/// hits all three. The store's time runs from the moment the target has a page's bytes until it is
/// asked for the next page: splitting, merging, the commit, and the work of the manager between.
struct IngestBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  func run() async throws {
    var laps: [IngestRace.Lap] = []
    for number in 0..<(isQuick ? 3 : 7) {
      let race = try IngestRace(folder: folder, number: number, pageCount: isQuick ? 40 : 50)
      let client = try await folder.client("store-\(number)")
      for _ in 0..<2 {
        try await client.pull { try await race.next() }
        laps.append(await race.finishLap())
      }
      try await client.close()
      try await race.finish()
    }
    report("ingest.insert", laps.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
    report("ingest.update", laps.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
  }

  private func report(_ name: String, _ laps: [IngestRace.Lap]) {
    let recordCount = Double((isQuick ? 40 : 50) * SampleRecords.pageSize)
    Figure(
      name: "\(name).records_per_second",
      value: recordCount / laps.map(\.store).median,
      unit: "records/s"
    ).report()
    let ratios = laps.compactMap { lap in lap.sqlite.map { $0 / lap.store } }
    if !ratios.isEmpty {
      Figure(
        name: "\(name).times_sqlite_speed",
        value: ratios.median,
        unit: "x",
        target: .atLeast(5)
      ).report()
    }
    Figure(
      name: "\(name).times_write_and_sync",
      value: laps.map { $0.store / $0.file }.median,
      unit: "x",
      target: .atMost(3)
    ).report()
  }
}

/// Hands out pages, and gives each of them to the other sides once the store has it.
actor IngestRace {
  /// How many seconds each side took for all pages.
  struct Lap {
    var store = 0.0
    var sqlite: Double?
    var file = 0.0
  }

  private let folder: WorkFolder
  private let pageCount: Int
  private let sqlite: SQLite?
  private var file: RawFile
  private var round = 0
  private var position = 0
  private var lap = Lap()
  private var page: [UInt8] = []
  private var start: ContinuousClock.Instant?

  init(folder: WorkFolder, number: Int, pageCount: Int) throws {
    self.folder = folder
    self.pageCount = pageCount
    file = try RawFile(at: folder.path("file-\(number)"))
    sqlite = try SQLite.start(isNoted: number == 0)
    try sqlite?.ask("create", ["path": .string(folder.path("sqlite-\(number)"))])
    lap.sqlite = sqlite.map { _ in 0 }
  }

  /// The next page; nil: the lap is over.
  func next() throws -> SyncPage? {
    if let start {
      lap.store += (ContinuousClock.now - start).seconds
      try race()
    }
    guard position < pageCount else { return nil }
    page = SampleRecords.page(position, round: round)
    position += 1
    start = ContinuousClock.now
    return try SyncPage(json: page)
  }

  private func race() throws {
    if let sqlite {
      let path = folder.path("page.json")
      try folder.write(page, to: path)
      lap.sqlite? += try sqlite.seconds("ingest", ["page": .string(path)])
    }
    lap.file += try file.append(page)
  }

  /// The lap's times; the next lap has the same records with other bodies.
  func finishLap() -> Lap {
    defer {
      lap = Lap(sqlite: sqlite.map { _ in 0 })
      round += 1
      position = 0
      start = nil
    }
    return lap
  }

  func finish() throws { try sqlite?.ask("close") }
}
