extension Store {
  /// Which of these records are not, byte for byte, the newest server copy that the store holds.
  ///
  /// Of a record in conflict that is the conflict's remote copy; of an unknown one there is none.
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
}
