extension Store {
  /// Which of these records are not, byte for byte, the newest server copy that the store holds.
  ///
  /// Of a record in conflict that is the conflict's remote copy; of an unknown one there is none. A clean
  /// one that no sync has saved differs too, so that the one that asks becomes its owner.
  package func differsFromServerCopy(
    _ records: [(id: RecordID, record: Record)],
    in collection: String
  ) throws -> [Bool] {
    try checkReadable()
    guard let place = state.place(of: collection) else { return records.map { _ in true } }
    let reader = reader(of: place)
    return try records.map { id, record in
      guard let slot = reader.collection.index.slot(of: id) else { return true }
      guard reader.collection.detail(at: slot)?.conflict != nil else {
        let entry = reader.collection.index[slot]
        if entry.owner == 0 && !entry.isDirty { return true }
        guard let line = entry.line, line.bodyByteCount == record.bytes.count,
          entry.bodyCheck == UInt32(truncatingIfNeeded: byteHash(record.bytes.span))
        else { return true }
        return try reader.record(on: line) != record
      }
      return try reader.draft(at: slot).newestServerCopy != record
    }
  }

  /// Of which of these records the store holds a server copy that it does not know to be deleted.
  package func holdsServerCopy(of ids: [RecordID], in collection: String) throws -> [Bool] {
    try checkReadable()
    guard let place = state.place(of: collection) else { return ids.map { _ in false } }
    let reader = reader(of: place)
    return try ids.map { id in
      guard let slot = reader.collection.index.slot(of: id) else { return false }
      guard reader.collection.detail(at: slot)?.conflict != nil else {
        return reader.collection.index[slot].hasServer
      }
      return try reader.draft(at: slot).newestServerCopy != nil
    }
  }

  /// Whether the store holds any server copy of the collection.
  package func holdsServerCopies(in collection: String) throws -> Bool {
    try checkReadable()
    guard let place = state.place(of: collection) else { return false }
    let index = state[place].index
    return index.slots.contains { index[$0].isPresent && index[$0].hasServer }
  }

  /// The operations of creates that were sent and whose outcome is not known.
  ///
  /// A remote that takes the operation's name as the record's id has them under these ids.
  package func unsettledCreates(in collection: String) throws -> Set<String> {
    try checkReadable()
    guard let place = state.place(of: collection) else { return [] }
    let unsettled = state[place].details.compactMap { slot, detail -> String? in
      guard let operation = detail.operation, operation.attempts >= 0,
        !state[place].index[Int(slot)].hasServer, detail.local?.kind != .updated
      else { return nil }
      return operation.id
    }
    return Set(unsettled)
  }
}
