extension JSONReader {
  /// Reads the string that starts here.
  package mutating func string() -> String {
    let start = position + 1
    var end = start
    var isEscaped = false
    while end < text.endIndex, text[end] != UInt8(ascii: "\"") {
      if text[end] == UInt8(ascii: "\\") {
        isEscaped = true
        end += 1
      }
      end += 1
    }
    end = min(end, text.endIndex)
    position = min(end + 1, text.endIndex)
    let content = text[start..<end]
    return String(decoding: isEscaped ? Self.unescaped(content)[...] : content, as: UTF8.self)
  }

  /// The bytes that the content of a string stands for.
  package static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count)
    var i = content.startIndex
    while i < content.endIndex {
      let byte = content[i]
      i += 1
      guard byte == UInt8(ascii: "\\"), i < content.endIndex else {
        bytes.append(byte)
        continue
      }
      let kind = content[i]
      i += 1
      switch kind {
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "u"): append(scalar(in: content, at: &i), to: &bytes)
      default: bytes.append(kind)
      }
    }
    return bytes
  }

  /// The scalar of the hexadecimal digits that start here, and of the second half of a pair.
  private static func scalar(in content: ArraySlice<UInt8>, at i: inout Int) -> UInt32 {
    let first = codeUnit(in: content, at: &i)
    guard first & 0xFC00 == 0xD800 else { return first }
    i += 2  // The backslash and the u of the second half.
    return 0x10000 + (first & 0x3FF) << 10 | codeUnit(in: content, at: &i) & 0x3FF
  }

  private static func codeUnit(in content: ArraySlice<UInt8>, at i: inout Int) -> UInt32 {
    var value: UInt32 = 0
    for byte in content[i..<min(i + 4, content.endIndex)] {
      value = value << 4 | UInt32(JSONScanner.hexadecimalDigit(byte) ?? 0)
    }
    i += 4
    return value
  }

  private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    guard let scalar = Unicode.Scalar(scalar) else { return }
    bytes.append(contentsOf: String(Character(scalar)).utf8)
  }
}
