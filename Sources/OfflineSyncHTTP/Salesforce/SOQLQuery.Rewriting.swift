package import OfflineSync

extension SOQLQuery {
  /// The query for a run: with id and date among its fields, in an order, and with what is newer alone.
  ///
  /// Dates of the server have no milliseconds, so the whole second of `maxTimeStamp` is asked for again:
  /// what was written in it after the last run must not be missed.
  ///
  /// - Parameters:
  ///   - idField: The field that holds the id.
  ///   - dateField: The field that holds the modification date.
  ///   - maxTimeStamp: In milliseconds since 1970; below 0: everything.
  /// - Returns: The query's text.
  package func fetch(idField: String, dateField: String, maxTimeStamp: Int64) -> String {
    let filter = maxTimeStamp < 0 ? nil : "\(dateField) >= \(SOQLText.second(of: maxTimeStamp))"
    return text(
      select: completed([idField, dateField]),
      condition: conditions(filter),
      order: parts[.order] ?? dateField,
      isWhole: true
    )
  }

  /// The query for the ids among these whose records it would still bring.
  ///
  /// LIMIT and ORDER BY are left out: which ids are meant is said, and a limit would tell live ones dead.
  package func ids(_ ids: some Sequence<RecordID>, idField: String) -> String {
    text(
      select: idField,
      condition: conditions("\(idField) IN \(SOQLText.list(ids))"),
      order: nil,
      isWhole: false
    )
  }

  /// Whether its rows come in the order of this field, the oldest first.
  package func isSorted(by field: String) -> Bool {
    guard let order = parts[.order] else { return true }
    let first = order.prefix { $0 != "," }.split { $0.isWhitespace }.map { $0.lowercased() }
    guard let name = first.first, isField(name, field) else { return false }
    return !first.contains("desc")
  }

  /// What is selected, with those of the fields that are not yet.
  private func completed(_ fields: [String]) -> String {
    let words = items.map { $0.lowercased() }
    let isEverything = words.contains { word in
      let word = word.filter { !$0.isWhitespace }
      return word == "fields(all)" || word == "fields(standard)"
    }
    var all = items
    for field in fields where !words.contains(where: { isField($0, field) }) {
      // Fields of one's own are among FIELDS(ALL), but not among FIELDS(STANDARD); those end like this.
      let isStandard = !field.lowercased().hasSuffix("__c")
      let hasAll = words.contains { $0.filter { !$0.isWhitespace } == "fields(all)" }
      if isEverything, isStandard || hasAll { continue }
      if !all.contains(where: { $0.lowercased() == field.lowercased() }) { all.append(field) }
    }
    return all.joined(separator: ", ")
  }

  /// Whether a name in the query, in lower case, is this field of the query's object.
  private func isField(_ name: String, _ field: String) -> Bool {
    let field = field.lowercased()
    return name == field || names.contains { name == "\($0).\(field)" }
  }

  private func conditions(_ added: String?) -> String? {
    switch (added, parts[.condition]) {
    case (let added?, let old?): "\(added) AND (\(old))"
    case (let one, nil): one
    case (nil, let one): one
    }
  }

  private func text(
    select: String,
    condition: String?,
    order: String?,
    isWhole: Bool
  ) -> String {
    var words = ["SELECT \(select)", "FROM \(parts[.from] ?? "")"]
    if let scope = parts[.using] { words.append("USING \(scope)") }
    if let condition { words.append("WHERE \(condition)") }
    if let with = parts[.with] { words.append("WITH \(with)") }
    if let order { words.append("ORDER BY \(order)") }
    if isWhole, let limit = parts[.limit] { words.append("LIMIT \(limit)") }
    if isWhole, let locking = parts[.locking] { words.append(locking) }
    return words.joined(separator: " ")
  }
}
