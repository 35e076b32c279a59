extension Journal {
  /// Makes the lines durable, all or none; without lines does nothing.
  ///
  /// The lines stay in the transaction. After an error nothing of it is stored: a full disk and most
  /// device errors leave the journal as it was, and after one that puts the file itself in doubt
  /// ``needsNewGeneration`` is true.
  ///
  /// - Parameter transaction: Finished lines, without a commit line.
  /// - Returns: The offset of the first line in the file; the others lie behind it as they do in the
  ///   transaction.
  /// - Throws: STORE_FULL, STORE; STORE_LOCKED of a reader.
  package mutating func commit(_ transaction: inout JournalTransaction) throws -> Int64 {
    try checkWriter()
    let start = committed.end
    guard !transaction.isEmpty else { return start }
    guard !needsNewGeneration else {
      throw SyncError(.store, "\(path) takes no more commits after an error of the disk")
    }
    try StateDirectory.reporting { try cutTornTail() }
    let sequence = committed.sequence + 1
    let chain = transaction.seal(sequence, chain: committed.chain)
    defer { transaction.unseal() }
    try StateDirectory.reporting { try append(transaction.bytes, at: start) }
    committed = JournalCommit(
      end: start + Int64(transaction.bytes.count),
      sequence: sequence,
      chain: chain
    )
    return start
  }

  func checkWriter() throws {
    guard access == .writer else {
      throw SyncError(.storeLocked, "\(directory.path) is open read-only")
    }
  }

  private mutating func append(_ bytes: [UInt8], at start: Int64) throws {
    do {
      try file.write(bytes, at: start)
    } catch {
      cutBack(to: start)
      throw error
    }
    do {
      try file.sync()
    } catch {
      // Nobody knows what of it is durable, and no later success would tell.
      needsNewGeneration = true
      cutBack(to: start)
      throw error
    }
  }

  /// Takes off what a failed write left.
  ///
  /// The cut is synced too: a crash must not bring back sectors of it between those of the next
  /// transaction.
  private mutating func cutBack(to end: Int64) {
    do {
      try file.truncate(to: end)
      try file.sync()
    } catch {
      needsNewGeneration = true
      note("\(path) could not be cut back to \(end): \(error)")
    }
  }
}
