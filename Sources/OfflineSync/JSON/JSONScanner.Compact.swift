extension JSONScanner {
  /// The compact text of the one object in these bytes; the bytes themselves if they are compact.
  package static func compactObject(_ json: [UInt8]) throws(JSONFailure) -> ArraySlice<UInt8> {
    var scanner = JSONScanner()
    scanner.passByteOrderMark(json.span)
    scanner.passWhiteSpace(json.span)
    let start = scanner.position
    guard start < json.count, json[start] == UInt8(ascii: "{") else {
      throw JSONFailure(reason: .notObject, offset: start)
    }
    let before = scanner.whiteSpaceCount
    try scanner.passValue(json.span, depth: 0)
    let end = scanner.position
    let isCompact = scanner.whiteSpaceCount == before
    scanner.passWhiteSpace(json.span)
    guard scanner.position == json.count else {
      throw JSONFailure(reason: .trailingBytes, offset: scanner.position)
    }
    if isCompact { return json[start..<end] }
    let (compact, ranges) = compact(json.span, [start..<end])
    return compact[ranges[0]]
  }

  /// Copies parts of a text that were passed before, without the white space between tokens.
  ///
  /// - Returns: the copy, and where in it each part lies.
  package static func compact(
    _ text: Span<UInt8>,
    _ parts: [Range<Int>]
  ) -> (bytes: [UInt8], ranges: [Range<Int>]) {
    var bytes = [UInt8](repeating: 0, count: parts.reduce(0) { $0 + $1.count })
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(parts.count)
    var end = 0
    for part in parts {
      let start = end
      var target = bytes.mutableSpan
      end = copy(text, part, to: &target, at: start)
      ranges.append(start..<end)
    }
    bytes.removeLast(bytes.count - end)
    return (bytes, ranges)
  }

  private static func copy(
    _ text: Span<UInt8>,
    _ part: Range<Int>,
    to target: inout MutableSpan<UInt8>,
    at start: Int
  ) -> Int {
    var i = part.lowerBound
    let partEnd = part.upperBound
    var end = start
    while i < partEnd {
      var byte = text[i]
      i &+= 1
      if byte <= 0x20 { continue }
      target[end] = byte
      end &+= 1
      guard byte == UInt8(ascii: "\"") else { continue }
      repeat {
        byte = text[i]
        target[end] = byte
        i &+= 1
        end &+= 1
        if byte == UInt8(ascii: "\\") {
          target[end] = text[i]
          i &+= 1
          end &+= 1
        }
      } while byte != UInt8(ascii: "\"")
    }
    return end
  }
}
