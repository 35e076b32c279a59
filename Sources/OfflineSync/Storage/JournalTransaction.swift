/// The lines of one commit, built in one buffer.
///
/// ``Journal/commit(_:)`` writes the commit line behind them. A transaction kept for the next commit, emptied by
/// ``removeAll()``, needs no new memory.
package struct JournalTransaction: Sendable {
  /// The finished lines.
  package private(set) var bytes: [UInt8] = []
  /// How many lines are finished.
  package private(set) var lineCount = 0
  /// The CRC digits of all lines, which the chain runs over.
  private(set) var digits: [UInt8] = []
  private var lineStart = 0
  private var elementStart = 0

  /// An empty transaction, with room for so many bytes.
  package init(reserving byteCount: Int = 0) {
    bytes.reserveCapacity(byteCount)
  }

  /// Whether it has no line.
  package var isEmpty: Bool { lineCount == 0 }

  /// Begins a line of this kind, one of ``JournalKind``.
  package mutating func begin(_ kind: UInt8) {
    lineStart = bytes.count
    bytes.append(copying: frame.span)
    bytes[lineStart + JournalFormat.kindOffset] = kind
    elementStart = bytes.count
  }

  /// Adds a number.
  package mutating func add(_ integer: Int64) {
    beginElement()
    guard integer < 0 || integer > 9 else {
      bytes.append(48 &+ UInt8(truncatingIfNeeded: integer))
      return
    }
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = integer.magnitude
    var count = 0
    while rest > 0 {
      rest /= 10
      count += 1
    }
    bytes.append(contentsOf: repeatElement(48, count: count))
    rest = integer.magnitude
    var index = bytes.count
    while rest > 0 {
      index -= 1
      bytes[index] = 48 &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  /// Adds a text.
  package mutating func add(_ text: String) {
    beginElement()
    append(text)
  }

  /// Adds an id as it was written on the wire, a text or a number.
  package mutating func add(_ id: RecordID) {
    beginElement()
    if id.isNumber { bytes.append(contentsOf: id.text.utf8) } else { append(id.text) }
  }

  /// Adds a value; for small ones, such as null and false.
  package mutating func add(json value: JSON) {
    beginElement()
    JSONWriter.append(value, to: &bytes)
  }

  /// Adds compact JSON text as it is, a body; it must be valid and hold no newline.
  package mutating func add(raw json: ArraySlice<UInt8>) {
    beginElement()
    bytes.append(contentsOf: json)
  }

  /// Adds compact JSON text as it is, a body; it must be valid and hold no newline.
  package mutating func add(raw json: Span<UInt8>) {
    beginElement()
    bytes.append(copying: json)
  }

  /// Ends the line; its offset counts from the transaction's first byte.
  @discardableResult package mutating func end() -> JournalLine {
    bytes.append(JournalFormat.closing)
    bytes.append(JournalFormat.newline)
    let byteCount = bytes.count - lineStart
    let length = byteCount - 1 - JournalFormat.uncountedByteCount
    write(UInt32(length), at: lineStart + JournalFormat.lengthOffset)
    let covered = lineStart + JournalFormat.lengthOffset..<bytes.count - 1
    let crc = CRC32C.checksum(bytes.span.extracting(covered))
    write(crc, at: lineStart + JournalFormat.crcOffset)
    digits.append(addingCapacity: 8) { output in
      for place in 0..<8 { output.append(JournalFormat.digit(crc, at: place)) }
    }
    lineCount += 1
    return JournalLine(
      offset: Int64(lineStart),
      byteCount: byteCount,
      headByteCount: elementStart - lineStart
    )
  }

  /// Forgets all lines, and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    digits.removeAll(keepingCapacity: true)
    lineCount = 0
  }

  /// Adds the commit line after lines of a chain that stood at `chain`; the chain's new value.
  mutating func seal(_ sequence: Int64, chain: UInt32) -> UInt32 {
    let chain = CRC32C.checksum(digits.span, from: chain)
    begin(JournalKind.commit)
    add(sequence)
    add(Int64(lineCount))
    add(hexadecimal: chain)
    end()
    lineCount -= 1
    digits.removeLast(8)
    return chain
  }

  /// Takes the commit line off again.
  mutating func unseal() {
    bytes.removeSubrange(lineStart...)
  }

  /// The commit line after lines that are written already.
  static func commitLine(_ sequence: Int64, lineCount: Int, chain: UInt32) -> [UInt8] {
    var line = JournalTransaction()
    line.begin(JournalKind.commit)
    line.add(sequence)
    line.add(Int64(lineCount))
    line.add(hexadecimal: chain)
    line.end()
    return line.bytes
  }

  private mutating func add(hexadecimal number: UInt32) {
    beginElement()
    bytes.append(JournalFormat.quote)
    bytes.append(contentsOf: repeatElement(48, count: 8))
    write(number, at: bytes.count - 8)
    bytes.append(JournalFormat.quote)
  }

  private mutating func beginElement() {
    bytes.append(JournalFormat.comma)
    elementStart = bytes.count
  }

  private mutating func append(_ text: String) {
    for byte in text.utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C {
      JSONWriter.append(text, to: &bytes)
      return
    }
    bytes.append(JournalFormat.quote)
    bytes.append(contentsOf: text.utf8)
    bytes.append(JournalFormat.quote)
  }

  private mutating func write(_ number: UInt32, at start: Int) {
    var span = bytes.mutableSpan
    for place in 0..<8 { span[start &+ place] = JournalFormat.digit(number, at: place) }
  }
}

private let frame: [UInt8] = Array(#"["________________","_""#.utf8)
