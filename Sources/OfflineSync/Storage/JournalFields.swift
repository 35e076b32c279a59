/// A position in a line, moved over one element after another.
///
/// The line is handed to each call without its newline, as ``JournalVisitor`` gets it.
package struct JournalFields: Sendable {
  /// Where the next element's comma stands, or the closing bracket.
  package private(set) var position = JournalFormat.elementsOffset

  /// Stands before the first element after the kind.
  package init() {}

  /// The kind of a line, one of ``JournalKind``.
  package static func kind(of line: Span<UInt8>) -> UInt8 {
    line[JournalFormat.kindOffset]
  }

  /// Whether no element is left.
  package func isAtEnd(of line: Span<UInt8>) -> Bool {
    position >= line.count - 1
  }

  /// The next element, an integer.
  package mutating func integer(in line: Span<UInt8>) throws -> Int64 {
    guard let value = nextInteger(in: line) else { throw JournalLineError("no integer") }
    return value
  }

  /// The next element's bytes: a string with its quotes, a number or a literal.
  package mutating func token(in line: Span<UInt8>) throws -> Range<Int> {
    guard let range = nextToken(in: line) else { throw JournalLineError("no text or number") }
    return range
  }

  /// The next element, a text.
  package mutating func text(in line: Span<UInt8>) throws -> String {
    let range = try token(in: line)
    guard let text = Self.text(range, in: line) else { throw JournalLineError("no text") }
    return text
  }

  /// The next element, an id as it was written on the wire.
  package mutating func id(in line: Span<UInt8>) throws -> RecordID {
    let range = try token(in: line)
    guard line[range.lowerBound] != JournalFormat.quote else {
      guard let text = Self.text(range, in: line), !text.isEmpty else {
        throw JournalLineError("no id")
      }
      return RecordID(text)
    }
    guard let number = JSON.Number(String(decoding: Self.copy(range, of: line), as: UTF8.self))
    else { throw JournalLineError("no id") }
    return RecordID(number.text, isNumber: true)
  }

  /// The bytes of the last element, the body, which is whatever is left; stays where it is.
  package func body(in line: Span<UInt8>) throws -> Range<Int> {
    guard position < line.count - 2, line[position] == JournalFormat.comma else {
      throw JournalLineError("no body")
    }
    return position + 1..<line.count - 1
  }

  /// The next element, which is a number that was counted up from 0.
  ///
  /// - Throws: ``JournalLineError`` also for one that nobody can have counted up to, so that it can be
  ///   counted on.
  package mutating func count(in line: Span<UInt8>) throws -> Int64 {
    let number = try integer(in: line)
    guard (0...Self.highestCount).contains(number) else {
      throw JournalLineError("the number \(number) cannot be")
    }
    return number
  }

  /// The highest number that lines may have counted up to.
  static let highestCount = Int64.max / 2

  /// The next element if it is an integer; nil, and nothing is moved, if it is not.
  mutating func nextInteger(in line: Span<UInt8>) -> Int64? {
    guard position < line.count, line[position] == JournalFormat.comma else { return nil }
    var index = position + 1
    guard index < line.count else { return nil }
    if line[index] &- 48 < 10, Self.endsElement(index + 1, in: line) {
      // Most have one digit.
      position = index + 1
      return Int64(line[index] &- 48)
    }
    let isNegative = line[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let first = index
    var value: Int64 = 0
    while index < line.count, line[index] &- 48 < 10 {
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(line[index] &- 48)
      let (sum, carry) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
      guard !overflow, !carry else { return nil }
      value = sum
      index += 1
    }
    guard index > first, Self.endsElement(index, in: line) else { return nil }
    position = index
    return value
  }

  /// The bytes of the next element if it is no array or object; nil, and nothing is moved, else.
  mutating func nextToken(in line: Span<UInt8>) -> Range<Int>? {
    guard position < line.count, line[position] == JournalFormat.comma else { return nil }
    let start = position + 1
    guard start < line.count else { return nil }
    var index = start
    if line[start] == JournalFormat.quote {
      index = line.quoteOrBackslash(from: index + 1)
      while index < line.count, line[index] != JournalFormat.quote {
        index = line.quoteOrBackslash(from: min(index + 2, line.count))
      }
      index += 1
    } else {
      guard line[start] != UInt8(ascii: "{"), line[start] != JournalFormat.opening else {
        return nil
      }
      while index < line.count, line[index] != JournalFormat.comma,
        line[index] != JournalFormat.closing
      {
        index += 1
      }
    }
    guard index > start, index < line.count, Self.endsElement(index, in: line) else { return nil }
    position = index
    return start..<index
  }

  /// The text that a token is; nil: it is none.
  static func text(_ range: Range<Int>, in line: Span<UInt8>) -> String? {
    guard line[range.lowerBound] == JournalFormat.quote else { return nil }
    let bytes = copy(range, of: line)
    guard bytes.contains(UInt8(ascii: "\\")) else {
      return String(validating: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
    do { return try JSON(parsing: bytes).string } catch { return nil }
  }

  /// A token as people read it: a string without its quotes, anything else as it is written.
  static func plainText(_ range: Range<Int>, in line: Span<UInt8>) -> String? {
    text(range, in: line) ?? String(validating: copy(range, of: line), as: UTF8.self)
  }

  private static func endsElement(_ index: Int, in line: Span<UInt8>) -> Bool {
    index < line.count
      && (line[index] == JournalFormat.comma || line[index] == JournalFormat.closing)
  }

  private static func copy(_ range: Range<Int>, of line: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for index in range { bytes.append(line[index]) }
    return bytes
  }
}
