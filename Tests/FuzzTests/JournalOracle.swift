import OfflineSync

/// The journal's format read once more, slowly and in another way, straight from its description.
struct JournalOracle {
  /// A line that verifies.
  struct Line {
    /// Without its newline.
    let bytes: [UInt8]
    /// With its newline.
    let range: Range<Int>
    /// The elements behind CRC and length.
    let elements: [JSON]

    var kind: String { elements.first?.string ?? "" }
  }

  enum Outcome: Equatable {
    /// It opens with what is there up to here.
    case opens(end: Int)
    case damaged
  }

  /// Where each commit ends, the state's first, as far as they verify one behind another.
  private(set) var ends: [Int] = []
  private(set) var outcome = Outcome.damaged
  /// All lines that verify, wherever they are.
  private(set) var lines: [Line] = []
  /// The pieces between them; whether each is ended by a newline.
  private var pieces: [(range: Range<Int>, isEnded: Bool)] = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    walk()
    let sequence = replay()
    guard let end = ends.last, let sequence else { return }
    outcome = isTorn(from: end, sequence) ? .opens(end: end) : .damaged
  }

  /// The lines that a repair has to save: all but those of a last transaction that was never acknowledged.
  var salvageable: [Line] {
    let commits = lines.filter {
      $0.kind == "e" && $0.elements.count == 4 && $0.elements[1].int64 != nil
    }
    guard let last = commits.last else { return lines }
    let sequence = commits.compactMap { $0.elements[1].int64 }.max() ?? 0
    guard isTorn(from: last.range.upperBound, sequence) else { return lines }
    return lines.filter { $0.range.lowerBound < last.range.upperBound }
  }

  /// CRC-32C bit by bit.
  static func crc(_ bytes: some Sequence<UInt8>, from start: UInt32 = 0) -> UInt32 {
    var crc = ~start
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    return ~crc
  }

  /// Eight lower-case hexadecimal digits.
  static func hex(_ number: UInt32) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 8 - text.count) + text
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let digits = Array("0123456789abcdef".utf8)
    guard bytes.count == 8, bytes.allSatisfy(digits.contains) else { return nil }
    return Int(String(decoding: bytes, as: UTF8.self), radix: 16)
  }

  /// The size that the line beginning here claims, newline included.
  private func claim(at start: Int) -> Int? {
    guard bytes.count - start >= 18, bytes[start] == UInt8(ascii: "["),
      bytes[start + 1] == UInt8(ascii: "\""),
      let length = Self.number(bytes[(start + 10)..<(start + 18)])
    else { return nil }
    return length + 20
  }

  /// Whether what begins here is a line, its newline aside.
  private func verifies(_ start: Int, _ count: Int) -> Bool {
    guard count >= 25, start + count - 1 <= bytes.count else { return false }
    let body = bytes[(start + 10)..<(start + count - 1)]
    return body.last == UInt8(ascii: "]") && bytes[start + 18] == UInt8(ascii: "\"")
      && bytes[start + 19] == UInt8(ascii: ",") && bytes[start + 20] == UInt8(ascii: "\"")
      && bytes[start + 22] == UInt8(ascii: "\"")
      && Self.hex(Self.crc(body))
        == String(decoding: bytes[(start + 2)..<(start + 10)], as: UTF8.self)
  }

  private mutating func walk() {
    var start = 0
    while start < bytes.count {
      let count = claim(at: start) ?? 0
      if verifies(start, count) {
        let end = start + count
        if end <= bytes.count, bytes[end - 1] == UInt8(ascii: "\n") {
          add(start..<end)
          start = end
          continue
        }
        // All of a line but its newline.
        let stop = end - 1
        if stop == bytes.count || stop < bytes.count {
          let last = min(end, bytes.count)
          pieces.append((start..<last, last < bytes.count))
          start = last
          continue
        }
      }
      let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
      let end = newline.map { $0 + 1 } ?? bytes.count
      pieces.append((start..<end, newline != nil))
      start = end
    }
  }

  private mutating func add(_ range: Range<Int>) {
    let line = Array(bytes[range.lowerBound..<(range.upperBound - 1)])
    let text = Array("[".utf8) + line[20...]
    do {
      lines.append(Line(bytes: line, range: range, elements: try JSON(parsing: text).array ?? []))
    } catch {
      lines.append(Line(bytes: line, range: range, elements: []))
    }
  }

  /// Follows the commits from the header on; the last one's sequence.
  private mutating func replay() -> Int64? {
    guard let header = lines.first, header.range.lowerBound == 0, header.kind == "h",
      header.elements.count == 2, var next = header.elements[1]["sequence"]?.int64
    else { return nil }
    var chain = crcField(of: header)
    var count: Int64 = 0
    var end = header.range.upperBound
    for line in lines.dropFirst() {
      guard line.range.lowerBound == end, line.kind != "h" else { break }
      end = line.range.upperBound
      guard line.kind == "e" else {
        chain = Self.crc(line.bytes[2..<10], from: chain)
        count += 1
        continue
      }
      guard line.elements.count == 4, line.elements[1].int64 == next,
        line.elements[2].int64 == count, line.elements[3].string == Self.hex(chain)
      else { break }
      ends.append(end)
      next += 1
      count = 0
    }
    return ends.isEmpty ? nil : next - 1
  }

  private func crcField(of line: Line) -> UInt32 {
    UInt32(Self.number(line.bytes[2..<10]) ?? 0)
  }

  /// The verdict on what follows the last good commit.
  private func isTorn(from start: Int, _ sequence: Int64) -> Bool {
    let rest = lines.filter { $0.range.lowerBound >= start }
    let commits = rest.filter { $0.kind == "e" }
    if commits.contains(where: { $0.elements.count > 1 && $0.elements[1].int64 ?? 0 > sequence + 1 }
    ) {
      return false
    }
    if hasMissingSector(from: start) { return true }
    let bad = pieces.filter { $0.range.lowerBound >= start }
    guard commits.isEmpty, !bad.contains(where: \.isEnded), bad.count <= 1 else { return false }
    guard let tail = bad.first, tail.range.count >= 18 else { return true }
    return tail.range.count < claim(at: tail.range.lowerBound) ?? 0
  }

  private func hasMissingSector(from start: Int) -> Bool {
    var first: Int?
    for index in start...bytes.count {
      if index < bytes.count, bytes[index] == 0 {
        if first == nil { first = index }
        continue
      }
      if let zeros = first, zeros == start || zeros % 512 == 0,
        index % 512 == 0 || index == bytes.count
      {
        return true
      }
      first = nil
    }
    return false
  }
}
