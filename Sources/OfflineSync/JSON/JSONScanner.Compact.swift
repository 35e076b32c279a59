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
    var compact: [UInt8] = []
    compact.reserveCapacity(end - start)
    appendCompact(json.span, start..<end, to: &compact)
    return compact[...]
  }

  /// Appends text that was passed before, without the white space between its tokens.
  package static func appendCompact(
    _ text: Span<UInt8>,
    _ range: Range<Int>,
    to bytes: inout [UInt8]
  ) {
    var isString = false
    var i = range.lowerBound
    while i < range.upperBound {
      let byte = text[i]
      i &+= 1
      if isString {
        bytes.append(byte)
        if byte == UInt8(ascii: "\"") {
          isString = false
        } else if byte == UInt8(ascii: "\\"), i < range.upperBound {
          bytes.append(text[i])
          i &+= 1
        }
      } else if byte > 0x20 {
        bytes.append(byte)
        isString = byte == UInt8(ascii: "\"")
      }
    }
  }
}
