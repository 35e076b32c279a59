extension StateDirectory {
  /// Finishes the creation of a store: the first journal if it is missing, then FORMAT.json.
  ///
  /// - Throws: `FileError`; `SyncError` STORE_CORRUPT: the first journal is not that of a new store.
  func create(hasJournal: Bool, makeStoreID: () -> String) throws {
    let store: String
    if hasJournal {
      store = try storeOfEmptyJournal()
    } else {
      store = makeStoreID()
      try writeFirstJournal(store: store)
    }
    // Of a folder or a journal that was found nobody knows whether its name is durable.
    try files.syncDirectory(FilePath.parent(of: path))
    try files.syncDirectory(path)
    try writeFormat(store: store)
  }

  /// Writes a journal with an empty state, whole or not at all; the folder is not synced yet.
  func writeFirstJournal(store: String) throws {
    var writer = try GenerationWriter(
      JournalHeader(store: store, generation: 1, sequence: 0),
      in: self
    )
    try writer.commit(0)
    try writer.sync()
    try writer.file.close()
    try writer.rename()
  }

  /// Writes FORMAT.json, whole and durable or not at all.
  func writeFormat(store: String) throws {
    try files.replace(
      formatPath,
      with: StateFormat(store: store).bytes,
      temporaryName: Self.formatName + Self.temporarySuffix
    )
  }

  /// The store that an empty first journal names.
  ///
  /// - Throws: `FileError`; `SyncError` STORE_CORRUPT: it is not that of a new store; STORE_TOO_NEW.
  func storeOfEmptyJournal() throws -> String {
    let path = journalPath(1)
    let file = try files.open(path, .read)
    let (header, line) = try JournalHeader.read(file, path: path, for: .writer)
    try header.check(generation: 1, store: header.store, path: path)
    var replay = JournalReplay(file, path: path, after: header, line: line)
    var probe = JournalProbe()
    let byteCount = try file.byteCount()
    let stop = try replay.read(to: byteCount, into: &probe)
    guard stop == .limit, replay.committed.sequence == 0, replay.committed.end == byteCount,
      replay.committed.chain == JournalFormat.number(line.span, at: JournalFormat.crcOffset)
    else {
      throw JournalFormat.corrupt(
        path,
        at: min(replay.offset, Int64(line.count)),
        "\(Self.formatName) is missing, and the journal is not that of a new store"
      )
    }
    return header.store
  }
}
