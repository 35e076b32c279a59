import OfflineSync

// Guarantees of one fetch: what comes, how often, in which order.

extension DownConformance {
  func empty() async throws -> String? {
    _ = try server.closure(world.empty, "empty")
    let records = try await pages().flatMap(\.records)
    guard records.isEmpty else {
      throw violation(
        ids(of: records),
        expected: "no page, or pages without records",
        came: "\(records.count) records of an empty server"
      )
    }
    return nil
  }

  func complete() async throws -> String? {
    try await log.smallest(upTo: world.recordCount, emptying: world) { count in
      let made = try await server.create(0..<count)
      let came = Set(ids(of: records(of: try await pages(), among: made)))
      let lost = made.filter { !came.contains($0) }
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "all \(count) records with maxTimeStamp -1",
          came: "all but \(lost.map(\.text))",
          advice: "return pages until the server has no more, and only then nil"
        )
      }
      return nil
    }
  }

  func once() async throws -> String? {
    try await log.smallest(upTo: world.recordCount, emptying: world) { count in
      let made = try await server.create(0..<count)
      let came = ids(of: records(of: try await pages(), among: made))
      let twice = made.filter { id in came.count { $0 == id } > 1 }
      guard twice.isEmpty else {
        throw violation(
          made,
          expected: "each record once",
          came: "\(twice.map(\.text)) more than once",
          advice: "begin each page after the last record of the page before"
        )
      }
      return nil
    }
  }

  func equalDates() async throws -> String? {
    let date = date(1)
    return try await log.smallest(upTo: world.recordCount, from: 2, emptying: world) { count in
      var made: [RecordID] = []
      for number in 0..<count { made.append(try await server.create(number, dated: date)) }
      let pages = try await pages()
      let came = Set(ids(of: records(of: pages, among: made)))
      let lost = made.filter { !came.contains($0) }
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "all \(count) records, which have the same date",
          came: "all but \(lost.map(\.text))",
          advice: "page by date and id, or let pages grow to more than the records of one date:"
            + " here \(count); overlap does not help inside a fetch"
        )
      }
      guard pages.count(where: { !records(of: [$0], among: made).isEmpty }) > 1 else {
        throw ConformanceInapplicable(
          "\(count) records came in one page; make the target's page smaller or recordCount larger"
        )
      }
      return nil
    }
  }

  func newer() async throws -> String? {
    let made = try await server.create(0..<3)
    let all = records(of: try await pages(), among: made)
    let dated = all.compactMap { record -> (RecordID, Int64)? in
      guard let id = record.id(field: target.idFieldName),
        let date = record.milliseconds(field: target.modificationDateFieldName)
      else { return nil }
      return (id, date)
    }
    for border in Set(dated.map(\.1)).sorted() {
      let due = dated.filter { $0.1 > border }.map(\.0)
      let came = Set(ids(of: records(of: try await pages(since: border), among: due)))
      let lost = due.filter { !came.contains($0) }
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "\(due.map(\.text)), which are newer than \(border)",
          came: "all but \(lost.map(\.text))",
          advice: "ask for dates greater than maxTimeStamp, in milliseconds and UTC"
        )
      }
    }
    return nil
  }

  func ids() async throws -> String? {
    let made = try await server.create(0..<3)
    let first = try await pages().flatMap(\.records)
    let nameless = first.filter { $0.id(field: target.idFieldName) == nil }
    guard nameless.isEmpty else {
      throw ConformanceViolation(
        records: nameless.prefix(3).map(\.json),
        expected: "a text or number in \"\(target.idFieldName)\"",
        came: "none",
        advice: "set idFieldName to the field that holds the id"
      )
    }
    let second = try await pages().flatMap(\.records)
    for (name, pass) in [("first", first), ("second", second)] {
      let came = Set(ids(of: pass))
      let unknown = made.filter { !came.contains($0) }
      guard unknown.isEmpty else {
        throw violation(
          made,
          expected: "the ids under which the server has them",
          came: "in the \(name) fetch no record with id \(unknown.map(\.text))"
        )
      }
    }
    return nil
  }

  func dates() async throws -> String? {
    let id = try await server.create(0)
    let before = try await date(of: id)
    guard world.change != nil else { return nil }
    try await server.change(id, changedFields(1))
    let after = try await date(of: id)
    if overlap > 0, after == before, before >= world.environment.now() - overlap {
      return
        "only with SyncOptions.overlap: a change right after a record's date leaves it as it is"
    }
    guard after > before else {
      throw violation(
        [id],
        expected: "a date later than \(before) after the change",
        came: "\(after)",
        advice: "a server that dates by the second needs SyncOptions.overlap of a second or more"
      )
    }
    return nil
  }

  /// How far before the checkpoint a run asks again, in milliseconds.
  private var overlap: Int64 { Int64(world.options.overlap / .milliseconds(1)) }

  /// The date under which a record comes.
  private func date(of id: RecordID) async throws -> Int64 {
    guard let record = records(of: try await pages(), among: [id]).last else {
      throw violation([id], expected: "the record", came: "a fetch without it")
    }
    let field = target.modificationDateFieldName
    guard let date = record.milliseconds(field: field) else {
      throw ConformanceViolation(
        records: [record.json],
        expected: "milliseconds or ISO 8601 in \"\(field)\"",
        came: record[field]?.text ?? "no such field",
        advice: "set modificationDateFieldName to the field that holds the date"
      )
    }
    guard date <= world.environment.now() + 86_400_000 else {
      throw ConformanceViolation(
        records: [record.json],
        expected: "a date that is not more than 24 hours ahead",
        came: record[field]?.text ?? "",
        advice: "the date may be in other units than milliseconds, or the server's clock is wrong"
      )
    }
    return date
  }

  /// The fields that a change of a sample record sets: its first one.
  func changedFields(_ number: Int) -> Record {
    let other = world.makeFields(number + 1000)
    var fields: Record = [:]
    if let first = other.fieldNames.first { fields[first] = other[first] }
    return fields
  }

  func sorted() async throws -> String? {
    guard target.isSortedByModificationDate else {
      throw ConformanceInapplicable("the target does not claim to be sorted")
    }
    let made = try await server.create(0..<world.recordCount)
    if let first = made.first, world.change != nil {
      try await server.change(first, changedFields(0))
    }
    var last: (id: RecordID, date: Int64)?
    for record in records(of: try await pages(), among: made) {
      guard let id = record.id(field: target.idFieldName),
        let date = record.milliseconds(field: target.modificationDateFieldName)
      else { continue }
      if let last, date < last.date {
        throw violation(
          [last.id, id],
          expected: "dates that never fall",
          came: "\(date) after \(last.date)",
          advice: "sort on the server, or let isSortedByModificationDate be false"
        )
      }
      last = (id, date)
    }
    return nil
  }

  func totalSize() async throws -> String? {
    _ = try await server.create(0..<world.recordCount)
    var copy = observed()
    let first = try await startFetch(&copy)
    guard let told = await copy.totalSize else {
      throw ConformanceInapplicable("the target does not tell a size")
    }
    let pages = try await [first].compactMap(\.self) + (first == nil ? [] : rest(&copy))
    let count = pages.reduce(0) { sum, page in
      sum + page.records.count + page.deletedIDs.count + page.problems.count
    }
    guard told == count else {
      throw ConformanceViolation(
        expected: "totalSize \(count), as many as came",
        came: "\(told)",
        advice:
          "answer nil when the size is not known; progress is wrong otherwise, nothing is lost"
      )
    }
    return nil
  }

  func exact() async throws -> String? {
    guard let exact = world.exactFields else {
      throw ConformanceInapplicable(
        "the world keeps no exact values (ConformanceWorld.exactFields)"
      )
    }
    var fields = world.makeFields(0)
    fields.assign(exact)
    let id = try await server.create(fields)
    let truth = try await server.read(id) ?? fields
    guard let came = records(of: try await pages(), among: [id]).last else {
      throw violation([id], expected: "the record", came: "a fetch without it")
    }
    for field in truth.fieldNames
    where field != target.idFieldName && field != target.modificationDateFieldName {
      guard came[field] == truth[field] else {
        throw violation(
          [id],
          expected: "\"\(field)\": \(truth[field]?.text ?? "nothing")",
          came: came[field]?.text ?? "no such field",
          advice: "hand the server's bytes to SyncPage(json:) rather than decoding them first"
        )
      }
    }
    return nil
  }

  func copies() async throws -> String? {
    let made = try await server.create(0..<world.recordCount)
    var left = observed()
    var right = observed()
    let firstLeft = try await startFetch(&left)
    let firstRight = try await startFetch(&right)
    let restLeft = firstLeft == nil ? [] : try await rest(&left)
    let restRight = firstRight == nil ? [] : try await rest(&right)
    guard !restLeft.isEmpty || !restRight.isEmpty else {
      throw ConformanceInapplicable("\(made.count) records came in one page; raise recordCount")
    }
    for (name, first, rest) in [("first", firstLeft, restLeft), ("second", firstRight, restRight)] {
      let came = Set(ids(of: records(of: [first].compactMap(\.self) + rest, among: made)))
      let lost = made.filter { !came.contains($0) }
      guard lost.isEmpty else {
        throw violation(
          made,
          expected: "both of two copies bring all when their calls alternate",
          came: "the \(name) copy brought all but \(lost.map(\.text))",
          advice:
            "keep the place in the fetch in the target's own properties, not in a shared object"
        )
      }
    }
    return nil
  }
}
