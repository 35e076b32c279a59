import Foundation
import OfflineSync
import OfflineSyncHTTP

// Queries and sObject collections.

extension SalesforceServer.State {
  mutating func tick() -> Int64 {
    now += 1000
    return now
  }

  /// A date as Salesforce writes it.
  static func text(_ date: Int64) -> JSON { .string("\(DateText.text(date).dropLast())+0000") }

  func index(_ id: String) -> Int? { rows.firstIndex { $0.id.prefix(15) == id.prefix(15) } }

  /// The value of a field, by a path over relationships too.
  func value(_ path: String, of row: SalesforceServer.Row) throws -> JSON {
    if let dot = path.firstIndex(of: ".") {
      guard let target = row.fields["\(path[..<dot])Id"] else {
        throw SOQLEvaluator.Refusal(code: "INVALID_FIELD", message: "no relation \(path)")
      }
      guard let index = target.string.flatMap(index) else { return .null }
      return try value(String(path[path.index(after: dot)...]), of: rows[index])
    }
    switch path.lowercased() {
    case "id": return .string(row.id)
    case "lastmodifieddate": return Self.text(row.date)
    default:
      if let columns, !columns.contains(path) {
        throw SOQLEvaluator.Refusal(
          code: "INVALID_FIELD",
          message: "No such column '\(path)' on entity '\(row.type)'."
        )
      }
      return row.fields[path] ?? .null
    }
  }

  func attributes(_ row: SalesforceServer.Row) -> JSON {
    let url = "\(SalesforceServer.root)/sobjects/\(row.type)/\(row.id)"
    return ["type": .string(row.type), "url": .string(url)]
  }

  private func record(_ row: SalesforceServer.Row, _ fields: [String]) throws -> JSON {
    var record: JSON.Object = ["attributes": attributes(row)]
    for field in fields {
      guard let dot = field.firstIndex(of: ".") else {
        record[field] = try value(field, of: row)
        continue
      }
      let name = String(field[..<dot])
      guard let index = row.fields["\(name)Id"]?.string.flatMap(index) else {
        record[name] = .null
        continue
      }
      var inner = record[name]?.object ?? ["attributes": attributes(rows[index])]
      let rest = String(field[field.index(after: dot)...])
      inner[rest] = try value(rest, of: rows[index])
      record[name] = .object(inner)
    }
    return .object(record)
  }

  mutating func run(_ text: String, includesDeleted: Bool) -> HTTPResponse {
    do {
      let query = try SOQLEvaluator.query(text)
      var found = try rows.filter { row in
        guard row.type.lowercased() == query.object.lowercased(), includesDeleted || !row.isDeleted
        else { return false }
        return try query.condition?.holds { try value($0, of: row) } ?? true
      }
      for (field, isDescending) in query.order.reversed() {
        // Stable: rows of one date stay in the order they were made.
        let keys = try found.map { try value(field, of: $0).string ?? "" }
        let order = found.indices.sorted { left, right in
          if keys[left] == keys[right] { return left < right }
          return (keys[left] < keys[right]) != isDescending
        }
        found = order.map { found[$0] }
      }
      if let limit = query.limit { found = Array(found.prefix(limit)) }
      let records = try found.map { try record($0, query.fields) }
      return page(records, from: 0, total: records.count)
    } catch let refusal as SOQLEvaluator.Refusal {
      return Self.refuse(400, refusal.code, refusal.message)
    } catch {
      return Self.refuse(500, "UNKNOWN_EXCEPTION", "\(error)")
    }
  }

  private mutating func page(_ records: [JSON], from start: Int, total: Int) -> HTTPResponse {
    let end = min(start + pageSize, records.count)
    var answer: JSON.Object = ["totalSize": JSON(total), "done": .bool(end == records.count)]
    if end < records.count {
      let locator = "01g\(nextNumber)-\(end)"
      nextNumber += 1
      locators[locator] = (records, total)
      answer["nextRecordsUrl"] = .string("\(SalesforceServer.root)/query/\(locator)")
    }
    answer["records"] = .array(Array(records[start..<end]))
    return Self.json(200, .object(answer))
  }

  mutating func page(_ locator: String) -> HTTPResponse {
    guard let (records, total) = locators[locator],
      let start = locator.split(separator: "-").last.flatMap({ Int($0) })
    else { return Self.refuse(400, "INVALID_QUERY_LOCATOR", "invalid query locator") }
    return page(records, from: start, total: total)
  }

  // MARK: - sObject collections

  private static func bad(_ code: String, _ message: String, _ fields: [JSON] = []) -> JSON {
    [
      "success": false,
      "errors": [
        ["statusCode": .string(code), "message": .string(message), "fields": .array(fields)]
      ],
    ]
  }

  private static func good(_ id: String) -> JSON {
    ["id": .string(id), "success": true, "errors": []]
  }

  mutating func each(_ body: JSON, _ act: (inout Self, JSON.Object) -> JSON) -> HTTPResponse {
    let records = body["records"]?.array ?? []
    guard body["allOrNone"]?.bool == false, (1...200).contains(records.count) else {
      return Self.refuse(400, "INVALID_INPUT", "exceeded 200 records, or none")
    }
    // What is no number in a field of numbers cannot be read, and refuses the whole request.
    for record in records where record["Count__c"]?.string != nil {
      return Self.refuse(400, "JSON_PARSER_ERROR", "Cannot deserialize instance of double")
    }
    return Self.json(200, .array(records.map { act(&self, $0.object ?? [:]) }))
  }

  private func refusal(_ record: JSON.Object) -> JSON? {
    if record["LastName"]?.string == "" {
      return Self.bad("REQUIRED_FIELD_MISSING", "Required fields are missing", ["LastName"])
    }
    if let owner = record["OwnerId"]?.string, index(owner).map({ rows[$0].isDeleted }) ?? true {
      return Self.bad("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id")
    }
    return nil
  }

  mutating func create(_ record: JSON.Object) -> JSON {
    guard let type = record["attributes"]?["type"]?.string else {
      return Self.bad("INVALID_FIELD", "no type")
    }
    if let refusal = refusal(record) { return refusal }
    if let key = record["Code__c"], key != .null,
      let other = rows.first(where: { !$0.isDeleted && $0.fields["Code__c"] == key })
    {
      return Self.bad(
        "DUPLICATE_VALUE",
        "duplicate value found: Code__c duplicates value on record with id: \(other.id)",
        []
      )
    }
    return Self.good(insert(type, record))
  }

  /// A number as Salesforce keeps it: 1 comes back as 1.0.
  private static func number(_ value: JSON) -> JSON {
    guard case .number(let number) = value, let double = Double(number.text) else { return value }
    return JSON.Number("\(double)").map(JSON.number) ?? value
  }

  mutating func insert(_ type: String, _ fields: JSON.Object, date: Int64? = nil) -> String {
    let digits = String(nextNumber)
    nextNumber += 1
    let id = "003\(String(repeating: "0", count: 12 - digits.utf8.count))\(digits)AAA"
    var fields = fields
    fields["attributes"] = nil
    if let count = fields["Count__c"] { fields["Count__c"] = Self.number(count) }
    rows.append(SalesforceServer.Row(type: type, id: id, fields: fields, date: date ?? tick()))
    return id
  }

  mutating func update(_ record: JSON.Object) -> JSON {
    guard let index = record["id"]?.string.flatMap(index) else {
      return Self.bad("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id")
    }
    if rows[index].isDeleted { return Self.bad("ENTITY_IS_DELETED", "entity is deleted") }
    if let refusal = refusal(record) { return refusal }
    for (name, value) in record where name != "attributes" && name != "id" {
      rows[index].fields[name] = name == "Count__c" ? Self.number(value) : value
    }
    rows[index].date = tick()
    return Self.good(rows[index].id)
  }

  mutating func upsert(type: String, key: String, _ body: JSON) -> HTTPResponse {
    each(body) { state, record in
      let found = state.rows.filter {
        !$0.isDeleted && $0.type == type && $0.fields[key] == record[key] && record[key] != nil
      }
      guard let first = found.first else { return state.create(record) }
      var update = record
      update["id"] = .string(first.id)
      return state.update(update)
    }
  }

  mutating func delete(_ id: String) -> JSON {
    guard let index = index(id) else {
      return Self.bad("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id")
    }
    if rows[index].isDeleted { return Self.bad("ENTITY_IS_DELETED", "entity is deleted") }
    rows[index].isDeleted = true
    rows[index].date = tick()
    return Self.good(rows[index].id)
  }
}
