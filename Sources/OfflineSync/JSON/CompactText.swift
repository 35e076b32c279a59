/// The parts of compact JSON text that is known to be good.
enum CompactText {
  /// One member of an object.
  struct Member {
    let key: ByteText
    /// The key as it is written, with its quotes.
    let keyText: ArraySlice<UInt8>
    let value: ArraySlice<UInt8>
  }

  /// The members of an object in their order, duplicates too.
  static func members(of object: ArraySlice<UInt8>) -> [Member] {
    var members: [Member] = []
    var scanner = MemberScanner()
    let start = object.startIndex
    while let member = scanner.next(object.span) {
      let key = String(decoding: member.keyBytes(in: object.span), as: UTF8.self)
      let quoted = start + member.key.lowerBound - 1...start + member.key.upperBound
      let value = start + member.value.lowerBound..<start + member.value.upperBound
      members.append(
        Member(key: ByteText(key), keyText: object[quoted], value: object[value])
      )
    }
    return members
  }

  /// The elements of an array: what lies between its commas.
  static func elements(of array: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let content = array.dropFirst().dropLast()
    guard !content.isEmpty else { return [] }
    var elements: [ArraySlice<UInt8>] = []
    var start = content.startIndex
    var depth = 0
    var isString = false
    var i = start
    while i < content.endIndex {
      switch content[i] {
      case UInt8(ascii: "\\"): i += 1
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "{") where !isString, UInt8(ascii: "[") where !isString: depth += 1
      case UInt8(ascii: "}") where !isString, UInt8(ascii: "]") where !isString: depth -= 1
      case UInt8(ascii: ",") where !isString && depth == 0:
        elements.append(content[start..<i])
        start = i + 1
      default: break
      }
      i += 1
    }
    elements.append(content[start...])
    return elements
  }
}
