import OfflineSync

/// A piece of a SOQL query that stands in no parentheses.
struct SOQLToken {
  enum Kind { case word, comma, parenthesis, string, other }
  let kind: Kind
  /// The bytes; of `parenthesis` up to and with the closing one.
  let range: Range<Int>
  /// The word in lower case; of every other kind empty.
  let word: String

  /// The pieces of a query in their order.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID when a text or a parenthesis does not end.
  static func all(of text: [UInt8]) throws -> [SOQLToken] {
    var tokens: [SOQLToken] = []
    var place = 0
    while place < text.count {
      let start = place
      let byte = text[place]
      if byte <= 32 {
        place += 1
        continue
      }
      var kind = Kind.other
      switch byte {
      case UInt8(ascii: "'"):
        kind = .string
        place = try endOfString(text, from: place)
      case UInt8(ascii: "("):
        kind = .parenthesis
        place = try endOfParenthesis(text, from: place)
      case UInt8(ascii: ")"):
        throw SyncError(.configInvalid, "the query has a parenthesis too many")
      case UInt8(ascii: ","):
        kind = .comma
        place += 1
      case _ where isWord(byte):
        kind = .word
        while place < text.count, isWord(text[place]) { place += 1 }
      default: place += 1
      }
      let word = kind == .word ? String(decoding: text[start..<place], as: UTF8.self) : ""
      tokens.append(SOQLToken(kind: kind, range: start..<place, word: word.lowercased()))
    }
    return tokens
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: ":"), UInt8(ascii: "-"), 128...:
      true
    default: false
    }
  }

  private static func endOfString(_ text: [UInt8], from start: Int) throws -> Int {
    var place = start + 1
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "\\"): place += 2
      case UInt8(ascii: "'"): return place + 1
      default: place += 1
      }
    }
    throw SyncError(.configInvalid, "the query has a text that does not end")
  }

  private static func endOfParenthesis(_ text: [UInt8], from start: Int) throws -> Int {
    var depth = 0
    var place = start
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "'"):
        place = try endOfString(text, from: place)
        continue
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      default: break
      }
      place += 1
      if depth == 0 { return place }
    }
    throw SyncError(.configInvalid, "the query has a parenthesis that does not end")
  }
}
