package import OfflineSync

/// What one change asks of a Kinto server, and what the server's answer to it means; sends nothing.
package struct KintoChange {
  let change: LocalChange
  /// Whether it is written over what others wrote.
  let overwrites: Bool

  package init(change: LocalChange, overwrites: Bool) {
    self.change = change
    self.overwrites = overwrites
  }

  private static let own = ["id", "last_modified"]

  /// The id that the change is sent to: of a create the operation's own, so that it is found again.
  var id: RecordID { change.kind == .created ? RecordID(change.operationID) : change.id }

  /// Fields that the update takes away; a null beside a field that is there is a null to be sent.
  private var removed: [String] {
    change.fields.object.filter { $0.value == .null && change.record[$0.key] == nil }.map(\.key)
  }

  /// Whether it cannot be a part of a batch, which takes no list as a body.
  package var isPatch: Bool { overwrites && change.kind == .updated && !removed.isEmpty }

  /// The fields that are sent, without those that are the server's own.
  private var fields: Record {
    var fields = change.fields
    for name in Self.own { fields[name] = nil }
    return fields
  }

  /// The body as the server has it after an update of this one.
  func written(over present: Record) -> Record {
    var record = present
    record.assign(fields)
    for name in removed { record[name] = nil }
    return record
  }

  /// The request as an element of a batch.
  package func request(path: String) -> JSON {
    var headers: JSON.Object = [:]
    var request: JSON.Object = ["path": .string(path)]
    switch change.kind {
    case .created:
      request["method"] = "PUT"
      headers["If-None-Match"] = "*"
      request["body"] = ["data": .object(fields.object)]
    case .updated where overwrites:
      request["method"] = "PATCH"
      request["body"] = ["data": .object(fields.object)]
    case .updated:
      // The whole body: the version tells that it is the one it was made on.
      var body = written(over: change.base ?? [:])
      for name in Self.own { body[name] = nil }
      request["method"] = "PUT"
      request["body"] = ["data": .object(body.object)]
      if let version { headers["If-Match"] = .string(version) }
    case .deleted:
      request["method"] = "DELETE"
      if !overwrites, let version { headers["If-Match"] = .string(version) }
    }
    request["headers"] = .object(headers)
    return .object(request)
  }

  /// The update as a list of operations (RFC 6902), which can take fields away.
  ///
  /// Each is set before it is taken away, since taking away what is not there is an error.
  package var patch: JSON {
    let operations = fields.object.map { field -> JSON in
      ["op": "add", "path": .string(Self.pointer(field.key)), "value": field.value]
    }
    let removals = removed.map { name -> JSON in
      ["op": "remove", "path": .string(Self.pointer(name))]
    }
    return .array(operations + removals)
  }

  private static func pointer(_ name: String) -> String {
    let bytes = name.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "~"): Array("~0".utf8)
      case UInt8(ascii: "/"): Array("~1".utf8)
      default: [byte]
      }
    }
    return "/data/" + String(decoding: bytes, as: UTF8.self)
  }

  private var version: String? {
    change.base?.milliseconds(field: "last_modified").map { "\"\($0)\"" }
  }

  /// What an answer means.
  package func outcome(_ answer: KintoAnswer) -> PushOutcome {
    switch (change.kind, answer.status) {
    case (.created, 200), (.created, 201): .created(id: id, record: answer.data)
    case (.created, 412) where answer.existing != nil:
      // Our own earlier create; another one may have written to it since.
      .created(id: id, record: answer.existing.flatMap { isSent(in: $0) ? $0 : nil })
    case (.updated, 200), (.updated, 201): updated(to: answer.data)
    case (.updated, 412): answer.existing.map(contested) ?? .missing
    case (.deleted, 200), (.deleted, 204): .deleted
    case (.deleted, 412): answer.existing.map { .conflict(remote: $0) } ?? .missing
    case (_, 404) where answer.isRecordMissing && change.kind != .created: .missing
    default: .failed(answer.failure)
    }
  }

  /// The answer of an update after which the server has this; without it if others wrote to it too, whose
  /// edits the next pull must bring.
  private func updated(to record: Record?) -> PushOutcome {
    guard overwrites, let record else { return .updated(record: record) }
    guard let base = change.base else { return .updated() }
    let sent = Set(fields.fieldNames)
    let foreign = record.changedFields(from: base, except: Self.own).contains { !sent.contains($0) }
    return foreign ? .updated() : .updated(record: record)
  }

  /// What another version on the server means: our own earlier write, or somebody else's.
  private func contested(_ existing: Record) -> PushOutcome {
    existing.isEqual(to: written(over: change.base ?? [:]), except: Self.own)
      ? .updated(record: existing) : .conflict(remote: existing)
  }

  private func isSent(in record: Record) -> Bool { record.isEqual(to: fields, except: Self.own) }

  /// What the server's copy says of a change whose answer was lost; nil: it has not arrived.
  func found(_ present: Record?) -> PushOutcome? {
    switch (change.kind, present) {
    case (.created, let present?): .created(id: id, record: isSent(in: present) ? present : nil)
    case (.updated, let present?):
      written(over: present).isEqual(to: present, except: Self.own) ? updated(to: present) : nil
    case (.deleted, nil): .deleted
    default: nil
    }
  }
}
