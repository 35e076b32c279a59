/// A property that an input breaks.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless the condition holds.
func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
  guard condition else { throw Finding(text()) }
}

/// Bytes as a text that can be pasted into a test.
func pasteable(_ bytes: [UInt8]) -> String {
  var text = ""
  for byte in bytes.prefix(20_000) {
    switch byte {
    case 0x20..<0x7F where byte != UInt8(ascii: "\\"): text.unicodeScalars.append(.init(byte))
    default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return text + (bytes.count > 20_000 ? "… of \(bytes.count)" : "")
}
