/// Builds values from text that a scanner has already passed, so nothing can fail any more.
package struct JSONReader {
  let text: ArraySlice<UInt8>
  /// Where the next byte is read.
  package var position: Int
  /// The first key that an object has twice.
  package private(set) var repeated: (key: String, position: Int)?

  package init(_ text: ArraySlice<UInt8>) {
    self.text = text
    position = text.startIndex
  }

  /// The value of this text.
  package static func value(of text: ArraySlice<UInt8>) -> JSON {
    var reader = JSONReader(text)
    return reader.value()
  }

  /// Reads the value that starts here, and white space before it.
  package mutating func value() -> JSON {
    passWhiteSpace()
    guard position < text.endIndex else { return .null }
    switch text[position] {
    case UInt8(ascii: "\""): return .string(string())
    case UInt8(ascii: "{"): return .object(object())
    case UInt8(ascii: "["): return .array(array())
    case UInt8(ascii: "t"): return literal(.bool(true), 4)
    case UInt8(ascii: "f"): return literal(.bool(false), 5)
    case UInt8(ascii: "n"): return literal(.null, 4)
    default: return .number(number())
    }
  }

  private mutating func literal(_ value: JSON, _ byteCount: Int) -> JSON {
    position += byteCount
    return value
  }

  private mutating func object() -> JSON.Object {
    var members = JSON.Object()
    while !passSeparator(orEnd: UInt8(ascii: "}")) {
      let start = position
      let count = members.count
      let key = string()
      passWhiteSpace()
      position += 1  // The colon.
      members[key] = value()
      if members.count == count, repeated == nil { repeated = (key, start) }
    }
    return members
  }

  private mutating func array() -> [JSON] {
    var elements: [JSON] = []
    while !passSeparator(orEnd: UInt8(ascii: "]")) { elements.append(value()) }
    return elements
  }

  /// Passes the opening bracket or comma before an entry; true when the end is there instead.
  private mutating func passSeparator(orEnd end: UInt8) -> Bool {
    passWhiteSpace()
    if position < text.endIndex, text[position] != end { position += 1 }
    passWhiteSpace()
    guard position < text.endIndex else { return true }
    guard text[position] == end else { return false }
    position += 1
    return true
  }

  private mutating func number() -> JSON.Number {
    let start = position
    while position < text.endIndex {
      switch text[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        position += 1
        continue
      default: break
      }
      break
    }
    return JSON.Number(trusted: String(decoding: text[start..<position], as: UTF8.self))
  }

  private mutating func passWhiteSpace() {
    while position < text.endIndex {
      let byte = text[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }
}
