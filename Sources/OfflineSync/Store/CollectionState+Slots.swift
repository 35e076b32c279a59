// Which record a line is about, and what is forgotten when it comes.

extension CollectionState {
  /// The slot of the record that the next element names; a new one if there is none.
  mutating func slot(
    in line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws -> RecordIndex.Slot {
    let (range, isNumber, isPlain) = try idToken(in: line, &reading)
    guard isPlain else {
      let id = try Self.id(line.bytes(in: range))
      if let slot = index.slot(of: id) { return touch(slot, &reading) }
      let bytes = Array(id.text.utf8)
      return add(bytes.span, hash: byteHash(bytes.span), isNumber: false, &reading)
    }
    let bytes = line.extracting(range)
    let hash = byteHash(bytes)
    if let slot = index.slot(of: bytes, hash: hash) {
      index[slot].isNumberID = isNumber
      return touch(slot, &reading)
    }
    return add(bytes, hash: hash, isNumber: isNumber, &reading)
  }

  /// A slot for a record that is not there; that of the same record if the line before has ended it.
  mutating func add(
    _ id: Span<UInt8>,
    hash: UInt64,
    isNumber: Bool,
    _ reading: inout CollectionReading
  ) -> RecordIndex.Slot {
    if let slot = reading.emptiedSlot, index.restore(slot, id, hash: hash, isNumber: isNumber) {
      return touchNew(slot, &reading)
    }
    // First, or the method would look into a copy that lacks the new record.
    let slot = index.insert(id, hash: hash, isNumber: isNumber)
    return touchNew(slot, &reading)
  }

  /// The slot of the record that the next element names; nil: there is none.
  func knownSlot(
    in line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws -> RecordIndex.Slot? {
    let (range, _, isPlain) = try idToken(in: line, &reading)
    let found: RecordIndex.Slot? =
      isPlain
      ? index.slot(of: line.extracting(range)) : index.slot(of: try Self.id(line.bytes(in: range)))
    guard let slot = found else { return nil }
    return touch(slot, &reading)
  }

  /// The next element's bytes without quotes, and whether they are the id's own (no escapes).
  func idToken(
    in line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws -> (range: Range<Int>, isNumber: Bool, isPlain: Bool) {
    let token = try reading.fields.token(in: line)
    guard line[token.lowerBound] == UInt8(ascii: "\"") else { return (token, true, true) }
    let content = token.lowerBound + 1..<token.upperBound - 1
    let isPlain = line.quoteOrBackslash(from: content.lowerBound) == content.upperBound
    return (isPlain ? content : token, false, isPlain)
  }

  static func id(_ token: [UInt8]) throws -> RecordID {
    guard let text = try JSON(parsing: token).string else { throw JournalLineError("no id") }
    return RecordID(text)
  }

  func touch(
    _ slot: RecordIndex.Slot,
    _ reading: inout CollectionReading
  ) -> RecordIndex.Slot {
    if reading.isTouchKept { reading.touched.touch(index.id(at: slot), wasLive: isLive(slot)) }
    return slot
  }

  func touchNew(
    _ slot: RecordIndex.Slot,
    _ reading: inout CollectionReading
  ) -> RecordIndex.Slot {
    if reading.isTouchKept { reading.touched.touch(index.id(at: slot), wasLive: false) }
    return slot
  }

  /// Whether an app sees the record as there.
  package func isLive(_ slot: RecordIndex.Slot) -> Bool {
    index[slot].isPresent && detail(at: slot)?.local?.kind != .deleted
  }

  /// The body's range; the line now knows where its body begins.
  func takeBody(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws -> Range<Int> {
    let body = try reading.fields.body(in: line)
    reading.line.headByteCount = body.lowerBound
    return body
  }
}

extension Span<UInt8> {
  /// A copy of the bytes in a range.
  package func bytes(in range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for position in range { bytes.append(self[position]) }
    return bytes
  }
}
