import OfflineSync

// Guarantees of changes that the server takes.

extension UpConformance {
  func create() async throws -> String? {
    let before = world.list == nil ? nil : try await server.list()
    let fields = world.makeFields(0)
    let id = try created(try await send(creation(fields)))
    try await expect(fields, of: id, advice: "answer the id that the server gave")
    if let before {
      let new = try await server.list().filter { !before.contains($0) }
      guard new == [id] else {
        throw ConformanceViolation(
          records: new.map(\.text),
          expected: "\(id) alone is new on the server",
          came: "\(new.map(\.text))"
        )
      }
    }
    return nil
  }

  func createOnce() async throws -> String? {
    let before = world.list == nil ? nil : try await server.list()
    var change = creation(world.makeFields(0))
    let first = try created(try await send(change))
    log.add("its answer is lost")
    change.attempts = 1
    let advice =
      "send operationID as the server's idempotency key or the record's id, or implement probe"
    var outcome = try await probe(change)
    if outcome == nil { outcome = try await send(change) }
    if case .created(let second, _)? = outcome, second != first {
      throw ConformanceViolation(
        records: [first.text, second.text],
        expected: "\(first) again",
        came: "another record, \(second)",
        advice: advice
      )
    }
    if let before {
      let new = try await server.list().filter { !before.contains($0) }
      guard new == [first] else {
        throw ConformanceViolation(
          records: new.map(\.text),
          expected: "\(first) alone is new on the server",
          came: "\(new.map(\.text))",
          advice: advice
        )
      }
    }
    return nil
  }

  func probe() async throws -> String? {
    var creation = creation(world.makeFields(0))
    creation.attempts = 1
    var changes = [creation]
    if world.create != nil {
      let (id, body) = try await make(1)
      changes.append(edit(id, from: body, setting: field(try fieldNames.first, of: 1001)))
      changes.append(deletion(id, of: body))
    }
    for change in changes {
      switch try await probe(change) {
      case nil, .missing, .unknown, .failed, .skipped, .conflict: continue
      case .created, .updated, .deleted:
        throw ConformanceViolation(
          records: [change.id.text],
          expected: "nil for an operation (\(change.kind)) that was never sent",
          came: "that it has arrived, so the edit would be lost",
          advice: "probe asks the server for this operation id, not whether a record is there"
        )
      }
    }
    return nil
  }

  func update() async throws -> String? {
    let (first, second) = try fieldNames
    let (id, body) = try await make(0)
    let other = try await make(1)
    let wanted = field(first, of: 1000)
    try await update(edit(id, from: body, setting: wanted))
    try await expect(wanted, of: id)
    try await expect(unchanged(body, but: [first]), of: id, advice: "send `fields` and no others")
    guard try await look(other.id) == other.body else {
      throw ConformanceViolation(
        records: [other.body.json],
        expected: "the other record as it was",
        came: try await look(other.id)?.json ?? "it is gone"
      )
    }
    guard target.acceptsPartialUpdates, world.change != nil else { return nil }
    // Somebody changes another field of the same record; only ours is sent.
    let base = try await look(id) ?? body
    let theirs = field(second, of: 1001)
    try await server.change(id, theirs)
    let outcome = try await send(edit(id, from: base, setting: field(first, of: 1002)))
    guard case .updated = outcome else { return nil }
    try await expect(
      theirs,
      of: id,
      advice: "send a partial update, or let acceptsPartialUpdates be false"
    )
    return nil
  }

  /// Sends an update, which has to be taken.
  private func update(_ change: LocalChange) async throws {
    let outcome = try await send(change)
    guard case .updated = outcome else {
      throw ConformanceViolation(records: [change.id.text], expected: "updated", came: "\(outcome)")
    }
  }

  /// The body without id, date, version and these fields.
  private func unchanged(_ body: Record, but fields: [String]) -> Record {
    var rest = body
    let own = [
      target.idFieldName, target.modificationDateFieldName, target.versionFieldName,
    ]
    for field in fields + own { rest[field] = nil }
    return rest
  }

  func clear() async throws -> String? {
    let (first, second) = try fieldNames
    let (id, body) = try await make(0)
    var cleared: Record = [:]
    cleared[second] = .null
    try await update(edit(id, from: body, setting: cleared))
    let after = try await look(id)
    guard after?[second] == nil || after?[second] == .null else {
      throw ConformanceViolation(
        records: [after?.json ?? id.text],
        expected: "\"\(second)\" null or absent",
        came: after?[second]?.text ?? "",
        advice: "keep nulls when the fields are encoded"
      )
    }
    try await expect(field(first, of: 0), of: id, advice: "leave alone what is not in `fields`")
    return nil
  }

  func delete() async throws -> String? {
    let (id, body) = try await make(0)
    let other = try await make(1)
    let outcome = try await send(deletion(id, of: body))
    guard outcome == .deleted else {
      throw ConformanceViolation(records: [id.text], expected: "deleted", came: "\(outcome)")
    }
    guard try await look(id) == nil else {
      throw ConformanceViolation(
        records: [id.text],
        expected: "the record is gone",
        came: "the server still has it"
      )
    }
    guard try await look(other.id) != nil else {
      throw ConformanceViolation(
        records: [other.id.text],
        expected: "the other record stays",
        came: "it is gone, too"
      )
    }
    return nil
  }

  func missingUpdate() async throws -> String? {
    let (id, body) = try await make(0)
    try await server.delete(id)
    let outcome = try await send(
      edit(id, from: body, setting: field(try fieldNames.first, of: 1000))
    )
    guard outcome == .missing else {
      throw ConformanceViolation(
        records: [id.text],
        expected: "missing",
        came: "\(outcome)",
        advice: "answer missing for 404 and 410; the library decides what becomes of the edit"
      )
    }
    guard try await look(id) == nil else {
      throw ConformanceViolation(
        records: [id.text],
        expected: "the record stays gone",
        came: "the update brought it back",
        advice: "update with a request that does not create (PATCH rather than PUT)"
      )
    }
    return nil
  }

  func missingDelete() async throws -> String? {
    let (id, body) = try await make(0)
    try await server.delete(id)
    let outcome = try await send(deletion(id, of: body))
    guard outcome == .missing || outcome == .deleted else {
      throw ConformanceViolation(
        records: [id.text],
        expected: "missing or deleted",
        came: "\(outcome)",
        advice: "answer missing for 404 and 410, else the deletion is sent for ever"
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
    let id = try created(try await send(creation(fields)))
    try await expect(fields, of: id, advice: "send `fields.json` rather than a decoded copy of it")
    return nil
  }

  func answer() async throws -> String? {
    let outcome = try await send(creation(world.makeFields(0)))
    let id = try created(outcome)
    var count = 0
    if case .created(_, let record?) = outcome {
      try await expect(record, is: id)
      count += 1
    }
    guard let body = try await look(id) else { return nil }
    let change = edit(id, from: body, setting: field(try fieldNames.first, of: 1000))
    if case .updated(let record?) = try await send(change) {
      try await expect(record, is: id)
      count += 1
    }
    guard count > 0 else {
      throw ConformanceInapplicable("the answers carry no records; the next pull brings them")
    }
    return nil
  }

  private func expect(_ record: Record, is id: RecordID) async throws {
    let body = try await look(id)
    guard let body, record.isEqual(to: body) else {
      throw ConformanceViolation(
        records: [id.text],
        expected: body?.json ?? "no record",
        came: record.json,
        advice: "answer the copy that the server sent, whole, or none"
      )
    }
  }
}
