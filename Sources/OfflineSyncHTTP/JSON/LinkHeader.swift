/// Reads `Link` headers (RFC 8288).
enum LinkHeader {
  /// The address with the relation `next`; nil: there is none.
  static func next(_ text: String) -> String? {
    var rest = text[...]
    while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
      let address = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      // The parameters last until the next link; no comma in quotes stands before a `<`.
      let parameters = rest.prefix { $0 != "<" }
      rest = rest[parameters.endIndex...]
      if isNext(parameters) { return String(address) }
    }
    return nil
  }

  private static func isNext(_ parameters: Substring) -> Bool {
    parameters.split(separator: ";").contains { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, word(parts[0]).lowercased() == "rel" else { return false }
      return word(parts[1]).lowercased().split(separator: " ").contains("next")
    }
  }

  private static func word(_ text: Substring) -> String {
    text.filter { $0 != "\"" && $0 != "," }.split(separator: " ").joined(separator: " ")
  }
}
