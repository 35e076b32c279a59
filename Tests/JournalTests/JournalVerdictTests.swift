import OfflineSync
import Testing

struct JournalVerdictTests {
  /// What a store of some journal's bytes does when it is opened for writing.
  private enum Outcome: Equatable {
    case opened([[String]])
    case damaged
  }

  private func outcome(of bytes: [UInt8]) throws -> Outcome {
    let test = try TestJournal(journal: bytes)
    do {
      let transcript = try test.transcript()
      #expect(try test.transcript() == transcript, "the second opening is not identical")
      let kept = try test.bytes()
      #expect(kept == Array(bytes.prefix(kept.count)))
      let copy = "/state/damaged/journal-1@\(kept.count)"
      if kept.count < bytes.count {
        #expect(try test.files.read(copy) == Array(bytes[kept.count...]))
      } else {
        #expect(try test.files.info("/state/damaged") == nil)
      }
      return .opened(transcript.transactions)
    } catch let error as SyncError where error.code == .storeCorrupt {
      #expect(try test.bytes() == bytes, "a damaged journal was touched")
      #expect(error.message.contains("/state/journal-1.jsonl is damaged at byte "))
      #expect(try test.files.info("/state/damaged") == nil)
      return .damaged
    }
  }

  /// A store of these transactions, and where each of its commits ends, the state's first.
  private func make(
    _ transactions: [[String]]
  ) throws -> (bytes: [UInt8], ends: [Int]) {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    var ends = [Int(journal.byteCount)]
    for transaction in transactions {
      _ = try journal.commit(transaction)
      ends.append(Int(journal.byteCount))
    }
    try test.close(journal, lock)
    return (try test.bytes(), ends)
  }

  private let transactions = [["1", "22"], [#"{"Name":"Anna B"}"#], ["4", "[5]", #""six""#]]

  @Test func `a cut at any byte leaves the commits before it`() throws {
    let (bytes, ends) = try make(transactions)
    let all = [[]] + transactions.map(lines)
    for count in 0...bytes.count {
      let expected: Outcome
      if count < ends[0] {
        expected = .damaged
      } else {
        expected = .opened(Array(all.prefix(ends.filter { $0 <= count }.count)))
      }
      #expect(try outcome(of: Array(bytes.prefix(count))) == expected, "cut at \(count)")
    }
  }

  @Test func `a flipped bit is damage wherever it is`() throws {
    let (bytes, _) = try make(transactions)
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        #expect(
          try outcome(of: flipped) == .damaged,
          "bit \(bit) of byte \(index)"
        )
      }
    }
  }

  @Test func `a flipped bit before a torn tail is damage, one in it is never more than torn`()
    throws
  {
    let (whole, ends) = try make(transactions)
    let end = ends[2]
    let bytes = Array(whole.prefix(end + 30))
    let good = Outcome.opened([[]] + transactions.prefix(2).map(lines))
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 1
      let found = try outcome(of: flipped)
      #expect(index < end ? found == .damaged : found == .damaged || found == good)
    }
  }

  @Test func `sectors that did not get to the disk make a torn tail`() throws {
    let body = "\"" + String(repeating: "x", count: 150) + "\""
    let (bytes, ends) = try make([[body, body], Array(repeating: body, count: 12)])
    let start = ends[1]
    let first = start / 512
    let sectors = (bytes.count + 511) / 512 - first
    #expect(sectors > 4 && start % 512 != 0)
    let good = Outcome.opened([[], lines([body, body])])
    for missing in 1..<(1 << sectors) {
      var torn = bytes
      for sector in 0..<sectors where missing & 1 << sector != 0 {
        for index in max(
          start,
          (first + sector) * 512
        )..<min(bytes.count, (first + sector + 1) * 512) {
          torn[index] = 0
        }
      }
      #expect(try outcome(of: torn) == good, "sectors \(missing) missing")
    }
  }

  @Test func `zeros that are no missing sector are damage`() throws {
    let body = "\"" + String(repeating: "x", count: 1_500) + "\""
    let (bytes, ends) = try make([["1"], [body]])
    let sector = (ends[1] / 512 + 1) * 512
    for range in [
      sector + 1..<sector + 512, sector..<sector + 511, ends[1] + 1..<sector,
      bytes.count - 1..<bytes.count,
    ] {
      var damaged = bytes
      for index in range { damaged[index] = 0 }
      #expect(try outcome(of: damaged) == .damaged, "zeros at \(range)")
    }
  }

  @Test func `zeros behind the last commit are cut`() throws {
    let (bytes, _) = try make([["1"]])
    let zeros = [UInt8](repeating: 0, count: 700_000)
    #expect(try outcome(of: bytes + zeros) == .opened([[], lines(["1"])]))
  }

  @Test func `a missing sector before a later commit is damage`() throws {
    let body = "\"" + String(repeating: "x", count: 1_500) + "\""
    let (bytes, ends) = try make([["1"], [body], ["3"]])
    let sector = (ends[1] / 512 + 1) * 512
    var damaged = bytes
    for index in sector..<sector + 512 { damaged[index] = 0 }
    #expect(try outcome(of: damaged) == .damaged)
    #expect(
      try outcome(of: Array(damaged.prefix(ends[2]))) == .opened([[], lines(["1"])])
    )
  }

  @Test func `a missing, a doubled and a swapped line are damage`() throws {
    let (bytes, ends) = try make([["1", "22"], ["3"]])
    let content = String(decoding: bytes, as: UTF8.self)
    let all = content.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(all.count == 8 && ends.count == 3)
    for index in 0..<7 {
      var without = all
      without.remove(at: index)
      var doubled = all
      doubled.insert(all[index], at: index)
      for text in [without, doubled] where index < 6 || text.count > all.count {
        #expect(
          try outcome(of: Array(text.joined(separator: "\n").utf8)) == .damaged,
          "line \(index)"
        )
      }
      guard index < 6 else { continue }
      var swapped = all
      swapped.swapAt(index, index + 1)
      #expect(
        try outcome(of: Array(swapped.joined(separator: "\n").utf8)) == .damaged,
        "lines \(index) and \(index + 1)"
      )
    }
  }

  @Test func `a length that claims more than there is does not stop the judgement`() throws {
    let (bytes, ends) = try make([["1"], ["2"]])
    for digit in 10..<18 {
      var damaged = bytes
      damaged[ends[0] + digit] = UInt8(ascii: "f")
      #expect(try outcome(of: damaged) == .damaged)
    }
  }
}
