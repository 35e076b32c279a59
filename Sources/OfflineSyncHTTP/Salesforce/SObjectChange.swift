import OfflineSync

/// What one change asks of Salesforce, and what the answer to it means; sends nothing.
struct SObjectChange {
  /// The calls of sObject collections; a request makes one of them for all its records.
  enum Call { case create, update, upsert, delete }
  let change: LocalChange
  let sobjectType: String
  let externalIdFieldName: String?

  /// The call that it takes.
  var call: Call {
    switch change.kind {
    case .created: externalIdFieldName == nil ? .create : .upsert
    case .updated: .update
    case .deleted: .delete
    }
  }

  /// Whether no record of Salesforce can have the id that is to be changed.
  var isImpossible: Bool { change.kind != .created && !SOQLText.isPossible(change.id) }

  /// The record's own value of the external id; nil: none, or one that only this device knows.
  private var ownExternalID: JSON? {
    guard let name = externalIdFieldName, let value = change.record[name] else { return nil }
    switch value {
    case .string(let text): return text.isEmpty || text.hasPrefix("local_") ? nil : value
    case .number: return value
    default: return nil
    }
  }

  /// Whether the external id names the operation, so that it cannot be another record's.
  var isNamedByOperation: Bool { ownExternalID == nil }

  /// The value by which the server finds the record of a create again.
  var externalID: JSON { ownExternalID ?? .string(change.operationID) }

  /// The record as the request has it.
  var element: JSON {
    var record: JSON.Object = ["attributes": ["type": .string(sobjectType)]]
    if change.kind == .updated { record["id"] = change.id.token }
    for (name, value) in change.fields.object where name != "attributes" && name != "Id" {
      record[name] = value
    }
    if call == .upsert, let externalIdFieldName { record[externalIdFieldName] = externalID }
    return .object(record)
  }

  /// What an answer means; `.missing` of an update is to be looked after, since a field may be what is missing.
  func outcome(_ result: SObjectResult) -> PushOutcome {
    if let failure = result.failure { return outcome(failure) }
    switch change.kind {
    case .created: return result.id.map { .created(id: $0) } ?? .unknown
    case .updated: return .updated()
    case .deleted: return .deleted
    }
  }

  private func outcome(_ failure: SalesforceFailure) -> PushOutcome {
    let isGone =
      failure.code == "ENTITY_IS_DELETED" || failure.code == "NOT_FOUND"
      || failure.code == "INVALID_CROSS_REFERENCE_KEY"
    if change.kind != .created, isGone, failure.fields.isEmpty { return .missing }
    var answer = failure.recordFailure
    // Two of our own creates at one moment: the next one finds what the other made.
    if call == .upsert, failure.code == "DUPLICATE_VALUE", isExternalID(failure) {
      answer.isRetryable = true
    }
    return .failed(answer)
  }

  private func isExternalID(_ failure: SalesforceFailure) -> Bool {
    guard let name = externalIdFieldName?.lowercased() else { return false }
    return failure.fields.contains { $0.lowercased() == name }
      || failure.message.lowercased().contains(name)
  }

  /// Whether the server's copy has what the update says.
  func isWritten(in present: Record) -> Bool {
    change.fields.object.allSatisfy { name, value in
      name == "attributes" || Self.isSame(present[name] ?? .null, value)
    }
  }

  /// Numbers by their value: Salesforce has its own way to write them.
  private static func isSame(_ left: JSON, _ right: JSON) -> Bool {
    guard case .number(let one) = left, case .number(let other) = right else {
      return left == right
    }
    return Double(one.text) == Double(other.text)
  }
}
