/// Splits the text of a page into its records.
///
/// The records share one buffer: the page itself, or its compact copy where white space lies
/// between tokens. A record that cannot be read costs one entry, as long as its brackets and quotes
/// still tell where it ends; where they do not, no record of the page is sure, and none is given.
package struct RecordPage {
  /// An element that is no record: its place in the array, its bytes as they came, and why.
  ///
  /// The offset in the error counts from the element's first byte.
  package typealias Malformed = (index: Int, bytes: [UInt8], error: SyncError)

  private var scanner = JSONScanner()
  private var ranges: [Range<Int>] = []
  private var failures: [(index: Int, range: Range<Int>, failure: JSONFailure)] = []
  private var others: [(key: Range<Int>, value: Range<Int>)] = []
  private var hasArray = false
  private var hasWhiteSpace = false
  /// Where the value under the key begins; nil: there was none.
  private var arrayOffset: Int?

  /// Splits an array of objects, or that array under a top-level key.
  ///
  /// Of duplicate keys the last counts. What lies under other keys is passed over, readable or not.
  ///
  /// - Throws: `SyncError` RECORD_MALFORMED naming the byte offset: there is no such array, or the
  ///   text is so broken that its elements cannot be told apart.
  package static func split(
    _ bytes: [UInt8],
    at key: String? = nil
  ) throws -> (records: [Record], malformed: [Malformed]) {
    var page = RecordPage()
    do {
      try page.pass(bytes.span, key.map { Array($0.utf8) })
    } catch {
      throw SyncError(.recordMalformed, "no page of records: \(error)")
    }
    let malformed = page.failures.map { entry in
      let failure = JSONFailure(
        reason: entry.failure.reason,
        offset: entry.failure.offset - entry.range.lowerBound
      )
      return (entry.index, Array(bytes[entry.range]), SyncError(.recordMalformed, "\(failure)"))
    }
    return (page.records(of: bytes), malformed)
  }

  /// The members beside the array under a top-level key, as far as they can be read.
  ///
  /// - Throws: `SyncError` as `split(_:at:)`.
  package static func members(of bytes: [UInt8], beside key: String) throws -> JSON.Object {
    var page = RecordPage()
    do {
      try page.pass(bytes.span, Array(key.utf8))
    } catch {
      throw SyncError(.recordMalformed, "no page of records: \(error)")
    }
    var members: JSON.Object = [:]
    for (key, value) in page.others {
      let name = String(decoding: JSONReader.unescaped(bytes[key]), as: UTF8.self)
      do {
        members[name] = try JSON(parsing: Array(bytes[value]))
      } catch {
        // What cannot be read is passed over, as by `split`.
        members[name] = nil
      }
    }
    return members
  }

  private func records(of bytes: [UInt8]) -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(ranges.count)
    if hasWhiteSpace {
      let (compact, ranges) = JSONScanner.compact(bytes.span, ranges)
      for range in ranges { records.append(Record(trusted: compact[range])) }
    } else {
      for range in ranges { records.append(Record(trusted: bytes[range])) }
    }
    return records
  }
}

extension RecordPage {
  private mutating func pass(_ text: Span<UInt8>, _ key: [UInt8]?) throws(JSONFailure) {
    scanner.passByteOrderMark(text)
    scanner.passWhiteSpace(text)
    guard let key else {
      try passElements(text)
      return try passEnd(text)
    }
    guard scanner.isAt(UInt8(ascii: "{"), text) else { throw noArray }
    try passMembers(text, key)
    try passEnd(text)
    if !hasArray { throw noArray }
  }

  private mutating func passEnd(_ text: Span<UInt8>) throws(JSONFailure) {
    scanner.passWhiteSpace(text)
    guard scanner.position == text.count else {
      throw JSONFailure(reason: .trailingBytes, offset: scanner.position)
    }
  }

  private mutating func passMembers(_ text: Span<UInt8>, _ key: [UInt8]) throws(JSONFailure) {
    scanner.position += 1
    scanner.passWhiteSpace(text)
    if scanner.isAt(UInt8(ascii: "}"), text) {
      scanner.position += 1
      return
    }
    while true {
      let start = scanner.position
      guard scanner.isAt(UInt8(ascii: "\""), text) else { throw scanner.unexpected(text) }
      try scanner.passString(text)
      let keyEnd = scanner.position - 1
      let isKey = isKey(text, start + 1..<keyEnd, key)
      scanner.passWhiteSpace(text)
      guard scanner.isAt(UInt8(ascii: ":"), text) else { throw scanner.unexpected(text) }
      scanner.position += 1
      scanner.passWhiteSpace(text)
      if isKey { forget() }
      if isKey, scanner.isAt(UInt8(ascii: "["), text) {
        try passElements(text)
      } else {
        let value = scanner.position
        try passOther(text)
        others.append((start + 1..<keyEnd, value..<scanner.position))
      }
      scanner.passWhiteSpace(text)
      let isLast = scanner.isAt(UInt8(ascii: "}"), text)
      guard isLast || scanner.isAt(UInt8(ascii: ","), text) else { throw scanner.unexpected(text) }
      scanner.position += 1
      if isLast { return }
      scanner.passWhiteSpace(text)
    }
  }

  private func isKey(_ text: Span<UInt8>, _ range: Range<Int>, _ key: [UInt8]) -> Bool {
    let bytes = range.map { text[$0] }
    return JSONReader.unescaped(bytes[...]) == key
  }

  /// Passes the value of a key that was not asked for.
  private mutating func passOther(_ text: Span<UInt8>) throws(JSONFailure) {
    let start = scanner.position
    do throws(JSONFailure) {
      try scanner.passValue(text, depth: 0)
    } catch {
      scanner.position = start
      try scanner.passUnreadable(text, error)
    }
  }

  /// What stood under an earlier one of equal keys does not count.
  private mutating func forget() {
    hasArray = false
    hasWhiteSpace = false
    ranges.removeAll()
    failures.removeAll()
    arrayOffset = scanner.position
  }

  /// Passes the array of records.
  private mutating func passElements(_ text: Span<UInt8>) throws(JSONFailure) {
    guard scanner.isAt(UInt8(ascii: "["), text) else { throw noArray }
    hasArray = true
    scanner.position &+= 1
    scanner.passWhiteSpace(text)
    if scanner.isAt(UInt8(ascii: "]"), text) {
      scanner.position &+= 1
      return
    }
    while true {
      try passElement(text)
      let isLast = scanner.isAt(UInt8(ascii: "]"), text)
      scanner.position &+= 1
      if isLast { return }
      scanner.passWhiteSpace(text)
    }
  }

  /// Passes one element and the white space behind it, up to the comma or the closing bracket.
  private mutating func passElement(_ text: Span<UInt8>) throws(JSONFailure) {
    let start = scanner.position
    let whiteSpaceCount = scanner.whiteSpaceCount
    do throws(JSONFailure) {
      guard scanner.isAt(UInt8(ascii: "{"), text) else {
        throw JSONFailure(reason: .notObject, offset: start)
      }
      try scanner.passValue(text, depth: 0)
      let end = scanner.position
      if scanner.whiteSpaceCount != whiteSpaceCount { hasWhiteSpace = true }
      scanner.passWhiteSpace(text)
      guard scanner.isAt(UInt8(ascii: ","), text) || scanner.isAt(UInt8(ascii: "]"), text) else {
        throw scanner.unexpected(text)
      }
      ranges.append(start..<end)
    } catch {
      scanner.position = start
      try scanner.passUnreadable(text, error)
      guard scanner.isAt(UInt8(ascii: ","), text) || scanner.isAt(UInt8(ascii: "]"), text) else {
        throw error
      }
      let range = start..<scanner.endBeforeWhiteSpace(text, from: start)
      failures.append((ranges.count + failures.count, range, error))
    }
  }

  private var noArray: JSONFailure {
    JSONFailure(reason: .noArray, offset: arrayOffset ?? scanner.position)
  }
}
