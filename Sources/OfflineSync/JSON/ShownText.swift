extension String {
  /// The text on one line, with nothing in it that a terminal would obey: such characters stand as in JSON, `\u001b`.
  package var shown: String {
    // Ids and names are nearly always plain.
    guard unicodeScalars.contains(where: \.isObeyed) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isObeyed:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether it moves a terminal's cursor, begins a command to it, ends a line or turns the order of what follows.
  fileprivate var isObeyed: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
