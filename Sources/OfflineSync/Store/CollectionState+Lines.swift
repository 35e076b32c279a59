// What a line of a record does to its collection; the rules stand in RecordDraft+Lines.swift.

/// What one line is read with, and what it tells beside the collection.
package struct CollectionReading {
  package var fields: JournalFields
  package var line: JournalLine
  package var lastVersion: Int64
  package var isTouchKept: Bool
  package var touched = TouchedRecords()
  /// The slot of the record that the line before has ended.
  var emptiedSlot: RecordIndex.Slot?

  package init(
    fields: JournalFields,
    line: JournalLine,
    lastVersion: Int64,
    isTouchKept: Bool
  ) {
    self.fields = fields
    self.line = line
    self.lastVersion = lastVersion
    self.isTouchKept = isTouchKept
  }
}

extension CollectionState {
  package mutating func visit(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    revision &+= 1
    reading.emptiedSlot = emptiedSlot
    emptiedSlot = nil
    switch JournalFields.kind(of: line) {
    case JournalKind.record: try visitServer(line, &reading)
    case JournalKind.local: try visitLocal(line, &reading)
    case JournalKind.sent: try visitOperation(line, &reading)
    case JournalKind.conflict: try visitConflict(line, &reading)
    case JournalKind.failure: try visitFailure(line, &reading)
    case JournalKind.gone: try visitGone(line, &reading)
    case JournalKind.owner: try visitOwner(line, &reading)
    case JournalKind.identity: try visitIdentity(line, &reading)
    case JournalKind.displaced: try visitDisplaced(line, &reading)
    case JournalKind.malformed: try visitMalformed(line, &reading)
    default: throw JournalLineError("a kind of line that this version does not know")
    }
  }

  private mutating func visitServer(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let slot = try slot(in: line, &reading)
    let version = try reading.fields.count(in: line)
    let owner = try reading.fields.integer(in: line)
    reading.lastVersion = max(reading.lastVersion, version)
    let body = try takeBody(line, &reading)
    liveByteCount += Int64(reading.line.byteCount - (index[slot].line?.byteCount ?? 0))
    liveByteCount -= ownerLineByteCount(at: slot)
    let check = UInt32(truncatingIfNeeded: byteHash(line.extracting(body)))
    index[slot].setServer(reading.line, check: check)
    index[slot].owner = owner
    index[slot].hasOwnerLine = false
    if index[slot].hasDetail {
      var freed = 0
      changeDetail(at: slot) { freed = $0.settle(upTo: version) }
      liveByteCount -= Int64(freed)
    }
    if !malformed.isEmpty { liveByteCount -= malformed.remove(index.id(at: slot)) }
  }

  private mutating func visitLocal(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let slot = try slot(in: line, &reading)
    let version = try reading.fields.count(in: line)
    guard let kind = ChangeKind(rawValue: try reading.fields.text(in: line)) else {
      throw JournalLineError("no kind of change")
    }
    _ = try takeBody(line, &reading)
    reading.lastVersion = max(reading.lastVersion, version)
    let place = reading.line
    var freed = 0
    changeDetail(at: slot) { detail in
      freed = (detail.local?.line.byteCount ?? 0) + detail.dropFailure()
      detail.local = RecordDetail.Local(line: place, version: version, kind: kind)
    }
    liveByteCount += Int64(place.byteCount - freed)
  }

  private mutating func visitOperation(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let slot = try slot(in: line, &reading)
    let version = try reading.fields.count(in: line)
    let id = try reading.fields.text(in: line)
    let attempts = Int(
      clamping: min(try reading.fields.integer(in: line), JournalFields.highestCount)
    )
    let notBefore = try reading.fields.integer(in: line)
    _ = try takeBody(line, &reading)
    reading.lastVersion = max(reading.lastVersion, version)
    let place = reading.line
    var freed = 0
    changeDetail(at: slot) { detail in
      freed = (detail.operation?.line.byteCount ?? 0) + detail.dropFailure()
      detail.operation = RecordDetail.Operation(
        line: place,
        version: version,
        id: id,
        attempts: attempts,
        notBefore: notBefore
      )
    }
    liveByteCount += Int64(place.byteCount - freed)
  }

  private mutating func visitConflict(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let slot = try slot(in: line, &reading)
    let sync = try reading.fields.integer(in: line)
    let foundAt = try reading.fields.integer(in: line)
    _ = try takeBody(line, &reading)
    let place = reading.line
    var freed = 0
    changeDetail(at: slot) { detail in
      freed = detail.conflict?.line.byteCount ?? 0
      detail.conflict = RecordDetail.ConflictLine(line: place, sync: sync, foundAt: foundAt)
    }
    liveByteCount += Int64(place.byteCount - freed)
  }

  private mutating func visitFailure(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    guard let slot = try knownSlot(in: line, &reading) else { return }
    let body = try takeBody(line, &reading)
    let place = reading.line
    var failure: RecordDetail.Failure?
    if line[body.lowerBound] != UInt8(ascii: "n") {
      let record = Record(trusted: line.bytes(in: body)[...])
      failure = RecordDetail.Failure(line: place, failure: RecordDraft.PushFailure(record))
    }
    var freed = 0
    changeDetail(at: slot) { detail in
      freed = detail.dropFailure()
      detail.failure = failure
    }
    liveByteCount += Int64((failure == nil ? 0 : place.byteCount) - freed)
  }

  private mutating func visitGone(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    guard let slot = try knownSlot(in: line, &reading) else { return }
    remove(slot)
    emptiedSlot = slot
  }

  private mutating func visitOwner(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let id = try reading.fields.id(in: line)
    let owner = try reading.fields.integer(in: line)
    guard let slot = index.slot(of: id) else { return }
    // The record's own line keeps the old owner, so this one is needed until the next `r`.
    liveByteCount -= ownerLineByteCount(at: slot)
    index[slot].owner = owner
    index[slot].hasOwnerLine = true
    liveByteCount += ownerLineByteCount(at: slot)
  }

  private mutating func visitIdentity(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let old = try reading.fields.id(in: line)
    let new = try reading.fields.id(in: line)
    // An id that names itself was given by the server, to a record that it has lost since.
    let oldSlot = old == new ? nil : index.slot(of: old)
    let newSlot = index.slot(of: new)
    if reading.isTouchKept, let oldSlot {
      reading.touched.rename(old, to: new, wasLive: isLive(oldSlot))
      if let newSlot { reading.touched.touch(new, wasLive: isLive(newSlot)) }
    }
    if let oldSlot {
      // The lines under the old id end here; those of the new id follow in the same commit.
      if newSlot == nil { rename(oldSlot, to: new) } else { remove(oldSlot) }
    }
    liveByteCount += Int64(reading.line.byteCount - (aliases[old]?.line.byteCount ?? 0))
    aliases[old] = Alias(id: new, line: reading.line)
  }

  private mutating func visitDisplaced(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let id = try reading.fields.id(in: line)
    let sync = try reading.fields.integer(in: line)
    let reason = try reading.fields.text(in: line)
    let foundAt = try reading.fields.integer(in: line)
    _ = try takeBody(line, &reading)
    displaced.append(
      DisplacedLine(id: id, line: reading.line, sync: sync, reason: reason, foundAt: foundAt)
    )
    liveByteCount += Int64(reading.line.byteCount)
  }

  private mutating func visitMalformed(
    _ line: Span<UInt8>,
    _ reading: inout CollectionReading
  ) throws {
    let sync = try reading.fields.integer(in: line)
    let foundAt = try reading.fields.integer(in: line)
    let body = try takeBody(line, &reading)
    guard let text = try JSON(parsing: line.bytes(in: body)).string,
      let bytes = MalformedBytes.decoded(text)
    else { throw JournalLineError("no base64") }
    let check = byteHash(bytes.span)
    // A page may bring the same bytes twice.
    liveByteCount += malformed.add(
      MalformedShelf.Item(
        id: MalformedBytes.probableID(in: bytes, field: rules.idField),
        line: reading.line,
        sync: sync,
        foundAt: foundAt,
        check: check
      )
    )
  }
}
