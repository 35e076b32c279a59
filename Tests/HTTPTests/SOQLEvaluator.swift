import OfflineSync

/// Reads the SOQL that a server of the tests is asked, as strictly as Salesforce does.
struct SOQLEvaluator {
  struct Refusal: Error { let code, message: String }
  struct Query {
    var fields: [String] = []
    var object = ""
    var condition: Condition?
    var order: [(field: String, isDescending: Bool)] = []
    var limit: Int?
  }
  indirect enum Condition {
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case compare(field: String, operation: String, values: [Token])
  }
  enum Token: Equatable {
    case word(String)
    case text(String)
    case mark(String)
  }

  private var tokens: [Token]
  private var place = 0

  static func query(_ text: String) throws -> Query {
    var reader = SOQLEvaluator(tokens: try tokens(of: text))
    return try reader.query()
  }

  private static func tokens(of text: String) throws -> [Token] {
    var tokens: [Token] = []
    var rest = Array(text.unicodeScalars)[...]
    while let first = rest.first {
      if first.properties.isWhitespace {
        rest.removeFirst()
      } else if first == "'" {
        rest.removeFirst()
        tokens.append(.text(try quoted(&rest)))
      } else if isWord(first) {
        let word = rest.prefix { isWord($0) }
        rest = rest.dropFirst(word.count)
        tokens.append(.word(String(String.UnicodeScalarView(word))))
      } else {
        var mark = String(rest.removeFirst())
        if "<>!".contains(mark), rest.first == "=" { mark += String(rest.removeFirst()) }
        tokens.append(.mark(mark))
      }
    }
    return tokens
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "_.:-+".unicodeScalars.contains(scalar)
  }

  private static func quoted(_ rest: inout ArraySlice<Unicode.Scalar>) throws -> String {
    var text = String.UnicodeScalarView()
    while let next = rest.popFirst() {
      if next == "'" { return String(text) }
      guard next == "\\" else {
        text.append(next)
        continue
      }
      switch rest.popFirst() {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "u":
        let digits = String(String.UnicodeScalarView(rest.prefix(4)))
        rest = rest.dropFirst(4)
        text.append(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "?")
      case let other? where "'\"\\_%".unicodeScalars.contains(other): text.append(other)
      default: throw malformed("illegal escape")
      }
    }
    throw malformed("a text does not end")
  }

  private static func malformed(_ text: String) -> Refusal {
    Refusal(code: "MALFORMED_QUERY", message: text)
  }

  // MARK: - Clauses

  private var next: Token? { place < tokens.count ? tokens[place] : nil }

  private func isNext(_ words: String...) -> Bool {
    words.enumerated().allSatisfy { offset, word in
      guard place + offset < tokens.count, case .word(let text) = tokens[place + offset] else {
        return false
      }
      return text.lowercased() == word
    }
  }

  private mutating func take(_ mark: String) -> Bool {
    guard next == .mark(mark) else { return false }
    place += 1
    return true
  }

  private mutating func word() throws -> String {
    guard case .word(let text)? = next else {
      throw Self.malformed("unexpected token: \(next.map { "\($0)" } ?? "the end")")
    }
    place += 1
    return text
  }

  private mutating func pass(_ word: String) throws {
    guard isNext(word) else { throw Self.malformed("expecting \(word)") }
    place += 1
  }

  private mutating func query() throws -> Query {
    var query = Query()
    try pass("select")
    repeat { query.fields.append(try word()) } while take(",")
    let lower = query.fields.map { $0.lowercased() }
    guard Set(lower).count == lower.count else {
      throw Refusal(code: "INVALID_FIELD", message: "duplicate field selected")
    }
    try pass("from")
    query.object = try word()
    if isNext("where") {
      place += 1
      query.condition = try condition()
    }
    if isNext("order", "by") {
      place += 2
      repeat {
        let field = try word()
        let isDescending = isNext("desc")
        if isDescending || isNext("asc") { place += 1 }
        query.order.append((field, isDescending))
      } while take(",")
    }
    if isNext("limit") {
      place += 1
      query.limit = Int(try word())
    }
    guard next == nil else { throw Self.malformed("unexpected token: \(tokens[place])") }
    return query
  }

  /// A list joined by AND, or by OR; both need parentheses between them.
  private mutating func condition() throws -> Condition {
    var parts = [try term()]
    guard isNext("and") || isNext("or") else { return parts[0] }
    let joint = try word().lowercased()
    parts.append(try term())
    while isNext("and") || isNext("or") {
      guard isNext(joint) else { throw Self.malformed("unexpected token: \(tokens[place])") }
      place += 1
      parts.append(try term())
    }
    return joint == "and" ? .all(parts) : .any(parts)
  }

  private mutating func term() throws -> Condition {
    if take("(") {
      let inner = try condition()
      guard take(")") else { throw Self.malformed("expecting a right parenthesis") }
      return inner
    }
    if isNext("not") {
      place += 1
      return .not(try term())
    }
    let field = try word()
    if isNext("in") {
      place += 1
      guard take("(") else { throw Self.malformed("expecting a left parenthesis") }
      var values: [Token] = []
      repeat { values.append(try value()) } while take(",")
      guard take(")") else { throw Self.malformed("expecting a right parenthesis") }
      return .compare(field: field, operation: "=", values: values)
    }
    guard case .mark(let operation)? = next else { throw Self.malformed("expecting an operator") }
    place += 1
    return .compare(field: field, operation: operation, values: [try value()])
  }

  private mutating func value() throws -> Token {
    guard let token = next else { throw Self.malformed("expecting a value") }
    if case .mark = token { throw Self.malformed("expecting a value") }
    place += 1
    return token
  }
}

extension SOQLEvaluator.Condition {
  /// Whether a record is meant; texts compare without regard to case, as Salesforce does, ids with it.
  func holds(_ field: (String) throws -> JSON) throws -> Bool {
    switch self {
    case .all(let parts): try parts.allSatisfy { try $0.holds(field) }
    case .any(let parts): try parts.contains { try $0.holds(field) }
    case .not(let part): try !part.holds(field)
    case .compare(let name, let operation, let values):
      try values.contains { try Self.compare(name, try field(name), operation, $0) }
    }
  }

  private static func compare(
    _ name: String,
    _ value: JSON,
    _ operation: String,
    _ token: SOQLEvaluator.Token
  ) throws -> Bool {
    let order: Int
    switch token {
    case .text(let text):
      guard let own = value.string else { return operation == "!=" }
      if name.lowercased() == "id" {
        guard text.utf8.count == 15 || text.utf8.count == 18 else {
          throw SOQLEvaluator.Refusal(
            code: "INVALID_QUERY_FILTER_OPERATOR",
            message: "invalid ID field: \(text)"
          )
        }
        order = text.prefix(15) == own.prefix(15) ? 0 : 1
      } else {
        let (left, right) = (own.lowercased(), text.lowercased())
        order = left == right ? 0 : left < right ? -1 : 1
      }
    case .word("null"): order = value == .null ? 0 : 1
    case .word(let text):
      if let date = DateText.milliseconds(.string(text)), let own = DateText.milliseconds(value) {
        order = own == date ? 0 : own < date ? -1 : 1
      } else if let number = Double(text), let own = value.double {
        order = own == number ? 0 : own < number ? -1 : 1
      } else {
        order = value.text == text ? 0 : 1
      }
    case .mark: return false
    }
    return switch operation {
    case "=": order == 0
    case "!=": order != 0
    case "<": order < 0
    case "<=": order <= 0
    case ">": order > 0
    default: order >= 0
    }
  }
}
