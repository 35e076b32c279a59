import OfflineSync
import OfflineSyncTesting

/// Journals that disks damaged: each opens as it was after some commit, or the damage is reported.
enum JournalFuzz {
  /// Changes bytes, lines and sectors of a good journal.
  static func run(_ corpus: JournalCorpus, _ random: inout SeededRandom) async throws -> Int {
    let sample = corpus.samples[Int.random(in: 0..<corpus.samples.count, using: &random)]
    let bytes = damaged(sample, corpus, &random)
    do {
      try await check(bytes, sample)
    } catch {
      throw Finding("\(error); the journal: \(pasteable(bytes))")
    }
    return 1
  }

  static func check(_ bytes: [UInt8], _ sample: JournalCorpus.Sample) async throws {
    let oracle = JournalOracle(bytes)
    let device = JournalDevice(sample.generation, sample.format, bytes)
    let found = try StoreDoctor.verify(device.files, at: JournalDevice.path)
    try await checkReader(device, oracle, sample)
    switch oracle.outcome {
    case .opens(let end):
      try require(!found.ofJournal.contains { $0.isDamage }, "the doctor sees damage: \(found)")
      try await checkOpening(device, bytes, end: end, sample)
    case .damaged:
      try require(found.ofJournal.contains { $0.isDamage }, "the doctor sees no damage")
      do {
        let shown = try await device.opened()
        throw Finding("opened in spite of damage: \(shown)")
      } catch let error as SyncError {
        try require(error.code == .storeCorrupt, "refused with \(error)")
        try require(error.message.contains(device.journalPath), "names no file: \(error)")
      }
      try require(
        try device.files.read(device.journalPath) == bytes,
        "a refused journal was touched"
      )
      try await checkRepair(device, oracle, found)
    }
  }

  private static func checkOpening(
    _ device: JournalDevice,
    _ bytes: [UInt8],
    end: Int,
    _ sample: JournalCorpus.Sample
  ) async throws {
    let shown = try await device.opened()
    try require(
      sample.ends.firstIndex(of: end).map { sample.snapshots[$0] } == shown,
      "opened with \(shown)"
    )
    let kept = try device.files.read(device.journalPath)
    try require(kept == Array(bytes.prefix(end)), "kept \(kept.count) of \(end)")
    if end < bytes.count {
      let name = FilePath.name(of: device.journalPath).dropLast(6)
      let copy = "\(JournalDevice.path)/damaged/\(name)@\(end)"
      try require(try device.files.read(copy) == Array(bytes[end...]), "the tail was not kept")
    }
    try require(try await device.opened() == shown, "the second opening shows something else")
  }

  private static func checkReader(
    _ device: JournalDevice,
    _ oracle: JournalOracle,
    _ sample: JournalCorpus.Sample
  ) async throws {
    do {
      let shown = try await device.opened(.readOnly)
      guard shown.first?.hasPrefix("damage") != true else {
        return try require(oracle.outcome == .damaged, "the reader sees damage")
      }
      let last = oracle.ends.last.flatMap { sample.ends.firstIndex(of: $0) }
      try require(last.map { sample.read[$0] } == shown, "the reader shows \(shown)")
    } catch let error as SyncError {
      try require(
        error.code == .storeCorrupt && oracle.outcome == .damaged,
        "the reader is refused with \(error)"
      )
    }
  }

  private static func checkRepair(
    _ device: JournalDevice,
    _ oracle: JournalOracle,
    _ found: [StoreDoctor.Finding]
  ) async throws {
    let repair = try await StoreDoctor.repair(
      device.files,
      at: JournalDevice.path,
      environment: device.world.environment
    )
    try require(repair.findings == found, "found \(found), repaired \(repair.findings)")
    try require(repair.backupPath != nil, "no backup")
    let left = try StoreDoctor.verify(device.files, at: JournalDevice.path)
    try require(left.ofJournal.isEmpty, "after the repair: \(left)")
    let store = try await device.open()
    let shown = try await JournalDevice.lines(store)
    try await SalvageOracle(oracle.salvageable).check(store)
    try await store.close()
    try require(try await device.opened() == shown, "the second opening shows something else")
  }
}
