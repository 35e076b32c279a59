import OfflineSync

/// A SOQL query taken apart at its clauses, so that a condition, a field or an order can be added.
///
/// Only whole words outside of texts and parentheses part clauses, in the order that SOQL has them, so a
/// sub-query, a text like `' order by '` and an object that is called `Order` stay as they are.
package struct SOQLQuery: Sendable, Equatable {
  /// The clauses that a query may have, in their order.
  enum Clause: Int {
    case select, from, using, condition, with, group, having, order, limit, offset, locking, rows
  }
  private(set) var parts: [Clause: String] = [:]
  /// What is selected, one by one.
  let items: [String]
  /// The names that a field may have before its dot: the object's, and its alias.
  let names: [String]

  /// Reads a query.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID: it is none, or one whose rows are no records of an object
  ///   (aggregates, GROUP BY), or whose rows would be others in each run (OFFSET), or that locks (FOR UPDATE).
  package init(_ text: String) throws {
    let bytes = Array(text.utf8)
    let tokens = try SOQLToken.all(of: bytes)
    guard tokens.first?.word == "select" else {
      throw SyncError(.configInvalid, "the query does not begin with SELECT")
    }
    var marks: [(clause: Clause, start: Int, count: Int)] = [(.select, 0, 1)]
    for index in tokens.indices.dropFirst() {
      let last = marks[marks.count - 1]
      guard let (clause, count) = Self.clause(tokens[index...]),
        clause.rawValue > last.clause.rawValue,
        clause == .from || last.clause != .select
      else { continue }
      marks.append((clause, index, count))
    }
    var ranges: [Clause: Range<Int>] = [:]
    for (index, mark) in marks.enumerated() {
      let end = index + 1 < marks.count ? marks[index + 1].start : tokens.count
      let start = mark.start + mark.count
      guard start < end || mark.clause == .locking || mark.clause == .rows else {
        throw SyncError(.configInvalid, "the query has a clause with nothing in it")
      }
      let first = mark.clause == .locking || mark.clause == .rows ? mark.start : start
      ranges[mark.clause] = first..<end
      let part = bytes[tokens[first].range.lowerBound..<tokens[end - 1].range.upperBound]
      parts[mark.clause] = String(decoding: part, as: UTF8.self)
    }
    guard let from = ranges[.from], let select = ranges[.select] else {
      throw SyncError(.configInvalid, "the query has no FROM")
    }
    names = tokens[from].map(\.word).filter { !$0.isEmpty && $0 != "as" }
    items = try Self.items(tokens[select], bytes)
    try checkClauses()
  }

  private func checkClauses() throws {
    for (clause, name) in [
      (Clause.group, "GROUP BY"), (.having, "HAVING"), (.offset, "OFFSET"),
      (.rows, "ALL ROWS or UPDATE"),
    ] where parts[clause] != nil {
      throw SyncError(.configInvalid, "a query with \(name) cannot be synced")
    }
    if parts[.locking]?.lowercased().hasSuffix("update") == true {
      throw SyncError(.configInvalid, "a query that is FOR UPDATE cannot be synced")
    }
  }

  /// The clause that begins here, and how many words say so.
  private static func clause(_ tokens: ArraySlice<SOQLToken>) -> (Clause, Int)? {
    let next = tokens.dropFirst().first?.word ?? ""
    switch (tokens.first?.word, next) {
    case ("from", _): return (.from, 1)
    case ("using", "scope"): return (.using, 1)
    case ("where", _): return (.condition, 1)
    case ("with", _): return (.with, 1)
    case ("group", "by"): return (.group, 2)
    case ("having", _): return (.having, 1)
    case ("order", "by"): return (.order, 2)
    case ("limit", _): return (.limit, 1)
    case ("offset", _): return (.offset, 1)
    case ("for", "view"), ("for", "reference"), ("for", "update"): return (.locking, 1)
    case ("all", "rows"), ("update", "tracking"), ("update", "viewstat"): return (.rows, 1)
    default: return nil
    }
  }

  private static let aggregates = ["count", "count_distinct", "avg", "sum", "min", "max"]

  private static func items(_ tokens: ArraySlice<SOQLToken>, _ bytes: [UInt8]) throws -> [String] {
    try tokens.split(omittingEmptySubsequences: false) { $0.kind == .comma }.map { item in
      guard let first = item.first, let last = item.last else {
        throw SyncError(.configInvalid, "the query selects a field without name")
      }
      if aggregates.contains(first.word), item.dropFirst().first?.kind == .parenthesis {
        throw SyncError(.configInvalid, "a query with an aggregate cannot be synced")
      }
      let range = first.range.lowerBound..<last.range.upperBound
      return String(decoding: bytes[range], as: UTF8.self)
    }
  }
}
