import OfflineSync
import OfflineSyncTesting

/// Journals whose lines say nonsense under right checksums: no crash, no endless work, and either the
/// nonsense is named or every later opening shows the same.
enum SealedFuzz {
  private static let elements = Mutator(
    ["0", "1", "2", "\"a\"", "null", "false", "{}", "{\"Id\":\"a\"}", "9223372036854775807"],
    tokens: [
      "-1", "-9223372036854775808", "4294967296", "\"\"", "\"x\"", "[]", "1.5", "\"é\"", ",",
    ]
  )

  static func run(_ corpus: JournalCorpus, _ random: inout SeededRandom) async throws -> Int {
    let sample = corpus.samples[Int.random(in: 0..<corpus.samples.count, using: &random)]
    let bytes = sealed(sample.bytes, &random)
    do {
      try await check(bytes, sample)
    } catch {
      throw Finding("\(error); the journal: \(pasteable(bytes))")
    }
    return 1
  }

  static func check(_ bytes: [UInt8], _ sample: JournalCorpus.Sample) async throws {
    let device = JournalDevice(sample.generation, sample.format, bytes)
    let known: Set<SyncError.Code> = [.storeCorrupt, .storeTooNew]
    do {
      _ = try await device.opened(.readOnly)
    } catch let error as SyncError {
      try require(known.contains(error.code), "the reader is refused with \(error)")
    }
    do {
      let found = try StoreDoctor.verify(device.files, at: JournalDevice.path)
      let isRefused = try await isRefused(device)
      // What belongs to no record is named by the doctor alone. A writer alone reads the lines of an
      // unfinished transaction, before it can know that it is one.
      let isUnfinished = JournalOracle(bytes).outcome != .opens(end: bytes.count)
      try require(
        !isRefused || isUnfinished || found.ofJournal.contains { $0.isDamage },
        "it is refused, and the doctor sees no damage: \(found)"
      )
      if found.ofJournal.contains(where: \.isDamage) {
        let repair = try await StoreDoctor.repair(
          device.files,
          at: JournalDevice.path,
          environment: device.world.environment
        )
        try require(repair.findings == found, "found \(found), repaired \(repair.findings)")
        let left = try StoreDoctor.verify(device.files, at: JournalDevice.path)
        try require(left.ofJournal.isEmpty, "after the repair: \(left)")
      }
    } catch let error as SyncError where error.code == .storeTooNew {
      return
    }
    do {
      let shown = try await device.opened()
      try require(try await device.opened() == shown, "the second opening shows something else")
      try await checkRewriting(device, shown)
      try await checkEditing(device)
    } catch let error as SyncError where error.code == .storeCorrupt {
      // It is named, by what reads the record if not by what opens the store.
      return
    }
  }

  /// Whatever numbers the lines had, they are counted on: edits go in, and the store opens again.
  private static func checkEditing(_ device: JournalDevice) async throws {
    let store = try await device.open()
    for collection in await store.collections {
      _ = try await store.create(["n": 1], in: collection)
      for stored in try await store.records(in: collection) where stored.change != .deleted {
        do {
          try await store.update(["n": 2], id: stored.id, in: collection)
        } catch let error as SyncError where error.code == .recordNotFound {
          // The bytes of its id are no text.
          try require(stored.id.text.contains("\u{FFFD}"), "\(error)")
        }
      }
    }
    let shown = try await JournalDevice.lines(store)
    try await store.close()
    try require(try await device.opened() == shown, "after an edit it opens with other things")
  }

  /// A compaction changes nothing of what is shown.
  private static func checkRewriting(_ device: JournalDevice, _ shown: [String]) async throws {
    let store = try await device.open()
    await store.compact()
    let after = try await JournalDevice.lines(store)
    try await store.close()
    try require(after == shown, "a compaction changed what is shown: \(after)")
    try require(
      try await device.opened() == shown,
      "opened after a compaction, it shows other things"
    )
  }

  private static func isRefused(_ device: JournalDevice) async throws -> Bool {
    do {
      try await device.open().close()
      return false
    } catch let error as SyncError where error.code == .storeCorrupt {
      return true
    }
  }

  /// The journal with some elements changed, and all checksums made anew.
  private static func sealed(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var lines = lines(of: bytes)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0..<lines.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where place > 0: lines.remove(at: place)
      case 1: lines.insert(lines[Int.random(in: 0..<lines.count, using: &random)], at: place)
      case 2: lines.swapAt(place, Int.random(in: 0..<lines.count, using: &random))
      case 3: lines[place] = Mutator([lines[place]], tokens: ["null", "1"]).input(&random)
      case 4:
        lines[place][1] = Array("hcrlsxdmgoifyae?".utf8)[Int.random(in: 0..<16, using: &random)]
      default: changeElement(&lines[place], &random)
      }
    }
    return sealed(lines)
  }

  /// Puts something else between two commas.
  private static func changeElement(_ line: inout [UInt8], _ random: inout SeededRandom) {
    let commas = line.indices.filter { line[$0] == UInt8(ascii: ",") } + [line.count - 1]
    guard commas.count > 1 else { return }
    let place = Int.random(in: 0..<(commas.count - 1), using: &random)
    line.replaceSubrange((commas[place] + 1)..<commas[place + 1], with: elements.input(&random))
  }

  /// The lines of a journal without their checksums and lengths.
  static func lines(of bytes: [UInt8]) -> [[UInt8]] {
    JournalOracle(bytes).lines.map { Array($0.bytes[20...]) }
  }

  /// The journal of these lines, whose commits name what is before them.
  static func sealed(_ lines: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    var chain: UInt32 = 0
    var count = 0
    for (number, line) in lines.enumerated() {
      var content = line
      if content.count > 1, content[1] == UInt8(ascii: "e") {
        let text = String(decoding: content, as: UTF8.self).split(separator: ",")
        let sequence = text.count > 1 ? text[1] : "1"
        content = Array(#""e",\#(sequence),\#(count),"\#(JournalOracle.hex(chain))"]"#.utf8)
        count = 0
      } else if number > 0 {
        count += 1
      }
      let length = JournalOracle.hex(UInt32(content.count + 1))
      let covered = Array("\(length)\",".utf8) + content
      let crc = JournalOracle.hex(JournalOracle.crc(covered))
      bytes += Array("[\"\(crc)".utf8) + covered + [UInt8(ascii: "\n")]
      if content.count > 1, content[1] == UInt8(ascii: "e") { continue }
      chain = number == 0 ? JournalOracle.crc(covered) : JournalOracle.crc(crc.utf8, from: chain)
    }
    return bytes
  }
}
