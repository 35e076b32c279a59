extension AttachmentRow {
  /// The row as it stands in the journal: a flat object without what is at its start value.
  package var json: JSON {
    var object: JSON.Object = [
      "direction": .string(direction.rawValue), "state": .string(state.rawValue),
      "createdAt": JSON(createdAt), "field": field.json,
    ]
    object["permanent"] = isPermanent ? true : nil
    object["claim"] = claim.map(JSON.string)
    object["attempts"] = attempts == 0 ? nil : JSON(attempts)
    object["notBefore"] = notBefore == 0 ? nil : JSON(notBefore)
    object["error"] = error.map(JSON.string)
    object["errorCode"] = errorCode.map(JSON.string)
    object["sha256"] = sha256.map(JSON.string)
    object["byteCount"] = byteCount.map { JSON($0) }
    object["contentType"] = contentType.map(JSON.string)
    object["path"] = file.map { .string($0.path) }
    object["modified"] = file.map { JSON($0.modified) }
    object["session"] = session?.json
    object["progress"] = progress == 0 ? nil : JSON(progress)
    object["partial"] = partial?.json
    object["mentions"] = mentions.isEmpty ? nil : .array(mentions.map(\.json))
    object["wasOnServer"] = wasOnServer ? true : nil
    object["usedAt"] = usedAt == createdAt ? nil : JSON(usedAt)
    return .object(object)
  }

  /// Reads a row: unknown members are passed over, damaged ones count as absent.
  ///
  /// Throws STORE_CORRUPT when it is no object or lacks a direction or a field, without which nothing can
  /// be said of an attachment. A state of another version reads as failed, so that it may be retried.
  package init(json: JSON, reference: String) throws {
    guard let object = json.object,
      let direction = object["direction"]?.string.flatMap(Direction.init(rawValue:)),
      let field = object["field"].flatMap(AttachmentField.init(json:))
    else {
      throw SyncError(.storeCorrupt, "the row of attachment \(reference) is not that of one")
    }
    self.init(
      reference: reference,
      field: field,
      direction: direction,
      createdAt: object["createdAt"]?.int64 ?? 0
    )
    state = object["state"]?.string.flatMap(AttachmentState.init(rawValue:)) ?? .failed
    if state == .missing { state = .failed }
    isPermanent = object["permanent"]?.bool ?? false
    claim = object["claim"]?.string
    // So that it can be counted on, whatever a damaged row says.
    attempts = min(max(0, object.int("attempts") ?? 0), Int.max / 2)
    notBefore = max(0, object["notBefore"]?.int64 ?? 0)
    error = object["error"]?.string
    errorCode = object["errorCode"]?.string
    sha256 = object["sha256"]?.string.flatMap { SHA256.isHexDigest($0) ? $0 : nil }
    byteCount = object["byteCount"]?.int64.flatMap { $0 < 0 ? nil : $0 }
    contentType = object["contentType"]?.string
    // Whatever a damaged row says, no path leaves the attachments' folder.
    file = object["path"]?.string.flatMap { path in
      AttachmentPath.isContent(path)
        ? LocalFile(path: path, modified: object["modified"]?.int64 ?? 0) : nil
    }
    session = object["session"].flatMap(UploadSession.init(json:))
    progress = max(0, object["progress"]?.int64 ?? 0)
    partial = object["partial"].flatMap(Partial.init(json:))
    mentions = object["mentions"]?.array?.compactMap(AttachmentMention.init(json:)) ?? []
    wasOnServer = object["wasOnServer"]?.bool ?? false
    usedAt = object["usedAt"]?.int64 ?? createdAt
  }
}

extension AttachmentColumn {
  /// The columns as the store remembers them.
  package static func json(_ columns: [AttachmentColumn]) -> JSON {
    ["columns": .array(columns.map { [.string($0.collection), .string($0.field)] })]
  }

  /// The columns that a line remembers; damaged ones are passed over.
  package static func list(in json: JSON) -> [AttachmentColumn] {
    (json["columns"]?.array ?? []).compactMap { column in
      guard let texts = column.array?.compactMap(\.string), texts.count == 2 else { return nil }
      return AttachmentColumn(collection: texts[0], field: texts[1])
    }
  }
}

extension AttachmentField {
  fileprivate var json: JSON { [.string(collection), record.token, .string(field)] }

  fileprivate init?(json: JSON) {
    guard let parts = json.array, parts.count >= 3, let collection = parts[0].string,
      let record = RecordID(token: parts[1]), let field = parts[2].string
    else { return nil }
    self.init(collection: collection, record: record, field: field)
  }
}

extension AttachmentMention {
  fileprivate var json: JSON {
    [.string(field.collection), field.record.token, .string(field.field), .bool(isOnServer)]
  }

  fileprivate init?(json: JSON) {
    guard let field = AttachmentField(json: json) else { return nil }
    self.init(field: field, isOnServer: json.array?.last?.bool ?? false)
  }
}

extension UploadSession {
  fileprivate var json: JSON {
    var object: JSON.Object = ["token": token, "offset": JSON(offset)]
    object["expires"] = expires.map { JSON($0) }
    return .object(object)
  }

  fileprivate init?(json: JSON) {
    guard let object = json.object, let token = object["token"] else { return nil }
    self.init(
      token: token,
      offset: max(0, object["offset"]?.int64 ?? 0),
      expires: object["expires"]?.int64
    )
  }
}

extension AttachmentRow.Partial {
  fileprivate var json: JSON {
    [
      "byteCount": JSON(byteCount), "validator": .string(validator), "sha256": .string(sha256),
    ]
  }

  fileprivate init?(json: JSON) {
    guard let object = json.object, let byteCount = object["byteCount"]?.int64, byteCount > 0,
      let validator = object["validator"]?.string, let sha256 = object["sha256"]?.string
    else { return nil }
    self.init(byteCount: byteCount, validator: validator, sha256: sha256)
  }
}

extension JSON.Object {
  fileprivate func int(_ key: String) -> Int? { self[key]?.int64.flatMap(Int.init(exactly:)) }
}
