import OfflineSync

/// Finds what a server says of an error, short enough for a log.
package enum HTTPErrorText {
  /// Most characters that are kept.
  package static let mostCharacters = 300

  /// The text of an answer: of JSON its message, of HTML its title, else how it begins.
  package static func text(of response: HTTPResponse) -> String {
    let start = response.body.prefix(64 << 10)
    guard !start.isEmpty else { return "no text" }
    if let json = parsed(Array(start)), let message = message(in: json) {
      return shortened(message)
    }
    let text = String(decoding: start, as: UTF8.self)
    return shortened(title(in: text) ?? text)
  }

  /// The members that servers put their message in, in the order of how much they tell.
  private static let keys = [
    "message", "detail", "details", "error_description", "error", "errors", "title", "reason",
  ]

  private static func message(in json: JSON) -> String? {
    switch json {
    case .string(let text): return text.isEmpty ? nil : text
    case .array(let elements): return elements.lazy.compactMap(message).first
    case .object: return keys.lazy.compactMap { key in json[key].flatMap(message) }.first
    default: return nil
    }
  }

  private static func parsed(_ bytes: [UInt8]) -> JSON? {
    do {
      return try JSON(parsing: bytes)
    } catch {
      // An error need not come as JSON.
      return nil
    }
  }

  private static func title(in text: String) -> String? {
    let lower = text.lowercased()
    // Lower case can change lengths, then the place is not sure.
    guard lower.utf8.count == text.utf8.count, let start = lower.firstRange(of: "<title>"),
      let end = lower.firstRange(of: "</title>"), start.upperBound <= end.lowerBound
    else { return nil }
    let title = lower.utf8.distance(from: lower.startIndex, to: start.upperBound)
    let count = lower.utf8.distance(from: start.upperBound, to: end.lowerBound)
    return String(decoding: text.utf8.dropFirst(title).prefix(count), as: UTF8.self)
  }

  private static func shortened(_ text: String) -> String {
    let line = String(
      String.UnicodeScalarView(
        text.unicodeScalars.lazy.prefix(4 * mostCharacters).map {
          $0.value < 32 || $0.value == 127 ? " " : $0
        }
      )
    )
    let words = line.split(separator: " ").joined(separator: " ")
    return words.count > mostCharacters ? "\(words.prefix(mostCharacters))…" : words
  }
}
