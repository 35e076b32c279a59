extension Journal {
  /// Whether dead bytes exceed the live ones and 4 MiB: compact in slices, between other work.
  package func shouldCompact(liveByteCount: Int64) -> Bool {
    let dead = byteCount - liveByteCount
    return dead > liveByteCount && dead > 4 << 20
  }

  /// Whether a commit cannot wait for the slices: dead bytes exceed three times the live ones and 64
  /// MiB.
  package func mustCompact(liveByteCount: Int64) -> Bool {
    let dead = byteCount - liveByteCount
    return dead > 3 * liveByteCount && dead > 64 << 20
  }

  /// Whether a next generation is being written.
  package var isCompacting: Bool { compaction != nil }

  /// Begins the next generation; its state is that of the last commit.
  ///
  /// Then ``compact(copying:)`` and ``compact(adding:)`` take the state, ``compactTail(atMost:)`` the
  /// commits made meanwhile, and ``finishCompaction()`` puts it in force. Commits between the calls go
  /// on in the old file. An error in any of them gives the compaction up; the old file stays in force.
  /// A line that a later commit replaces may be in the state or not, since commits made after this
  /// call are replayed over it.
  ///
  /// - Parameter liveByteCount: The size of the state.
  /// - Returns: False: the disk has no room for it, and nothing was begun.
  /// - Throws: STORE_FULL, STORE; STORE_LOCKED of a reader.
  package mutating func beginCompaction(liveByteCount: Int64) throws -> Bool {
    try checkWriter()
    abandonCompaction()
    return try StateDirectory.reporting {
      if needsNewGeneration { try copyTornTail() } else { try cutTornTail() }
      guard try directory.files.freeByteCount(at: directory.path) >= liveByteCount + 16 << 20 else {
        return false
      }
      let header = JournalHeader(
        store: storeID,
        generation: highestGeneration + 1,
        sequence: max(sequence, 0)
      )
      compaction = JournalCompaction(try GenerationWriter(header, in: directory), of: committed)
      return true
    }
  }

  /// Copies lines of the state verbatim, each verified; lines in the order of the file are fastest.
  ///
  /// The caller gives about 4 MiB at a time. They are durable when the call returns.
  ///
  /// - Throws: STORE_CORRUPT naming file and offset; STORE_FULL, STORE.
  package mutating func compact(copying lines: [JournalLine]) throws {
    try compacting { journal, compaction in
      precondition(compaction.tail == nil, "the state ends with the first call of compactTail")
      var first = 0
      while first < lines.count {
        var end = first + 1
        while end < lines.count, lines[end].offset == lines[end - 1].end,
          lines[end].end - lines[first].offset <= 1 << 20
        {
          end += 1
        }
        try journal.copy(lines[first..<end], into: &compaction)
        first = end
      }
      try compaction.writer.sync()
    }
  }

  /// Adds lines of the state that are made anew.
  ///
  /// - Returns: The offset of the first line in the new generation.
  /// - Throws: STORE_FULL, STORE.
  package mutating func compact(adding lines: JournalTransaction) throws -> Int64 {
    try compacting { _, compaction in
      precondition(compaction.tail == nil, "the state ends with the first call of compactTail")
      let start = compaction.writer.end
      try compaction.writer.append(lines)
      return start
    }
  }

  /// Ends the state at its first call, and copies commits that were made since the beginning.
  ///
  /// - Parameter byteCount: About how much to copy.
  /// - Returns: Whether there are more.
  /// - Throws: STORE_CORRUPT naming file and offset; STORE_FULL, STORE.
  package mutating func compactTail(atMost byteCount: Int64 = 4 << 20) throws -> Bool {
    try compacting { journal, compaction in
      try journal.copyTail(atMost: byteCount, into: &compaction)
      try compaction.writer.sync()
      return (compaction.tail?.replay.offset ?? 0) < journal.committed.end
    }
  }

  /// Copies the commits that are left, and puts the new generation in force.
  ///
  /// When it returns every place of a line is another: of a copied line, or one committed since the
  /// beginning, the relocation tells it; of an added one ``compact(adding:)`` did.
  ///
  /// - Throws: STORE_CORRUPT naming file and offset; STORE_FULL, STORE. Then the old places hold.
  package mutating func finishCompaction() throws -> JournalRelocation {
    let done = try compacting { journal, compaction in
      try journal.copyTail(atMost: .max, into: &compaction)
      try compaction.writer.sync()
      try journal.publish(compaction.writer)
      compaction.relocation.complete(
        tail: compaction.base.end,
        to: compaction.tail?.start ?? compaction.writer.end,
        byteCount: journal.committed.end - compaction.base.end
      )
      return compaction
    }
    compaction = nil
    file = done.writer.file
    generation = done.writer.generation
    committed = done.writer.committed
    needsNewGeneration = false
    tornEnd = nil
    sweep()
    return done.relocation
  }

  /// Gives the next generation up, if one is being written.
  package mutating func abandonCompaction() {
    guard let given = compaction else { return }
    compaction = nil
    let temporary =
      directory.journalPath(given.writer.generation) + StateDirectory.temporarySuffix
    do {
      try given.writer.file.close()
      try directory.files.remove(temporary)
    } catch let error as FileError where error.kind == .absent {
      return
    } catch {
      // The next opening sweeps it.
      note("\(temporary) could not be removed: \(error)")
    }
  }

  /// Runs a step on the compaction; an error gives it up.
  private mutating func compacting<Result>(
    _ step: (inout Journal, inout JournalCompaction) throws -> Result
  ) throws -> Result {
    guard var current = compaction else {
      throw SyncError(.store, "no compaction of \(path) is going on")
    }
    // Alone with its buffers, the step changes them in place.
    compaction = nil
    do {
      let result = try StateDirectory.reporting { try step(&self, &current) }
      compaction = current
      return result
    } catch {
      compaction = current
      abandonCompaction()
      throw error
    }
  }

  private func copy(
    _ lines: ArraySlice<JournalLine>,
    into compaction: inout JournalCompaction
  ) throws {
    guard let first = lines.first, let last = lines.last else { return }
    let bytes = try file.read(at: first.offset, count: Int(last.end - first.offset))
    for line in lines {
      let start = Int(line.offset - first.offset)
      guard start + line.byteCount <= bytes.count,
        line.byteCount >= JournalFormat.smallestByteCount,
        JournalFormat.claimedByteCount(bytes.span, at: start) == line.byteCount,
        JournalFormat.isLine(bytes.span, at: start, byteCount: line.byteCount)
      else {
        throw JournalFormat.corrupt(path, at: line.offset, "the line is not what was written")
      }
    }
    compaction.relocation.add(
      first.offset,
      to: compaction.writer.end,
      byteCount: Int64(bytes.count)
    )
    try compaction.writer.append(bytes[...], digitsOf: lines)
  }

  private func copyTail(atMost byteCount: Int64, into compaction: inout JournalCompaction) throws {
    let base = compaction.base
    if compaction.tail == nil { try compaction.writer.commit(max(base.sequence, 0)) }
    var tail =
      compaction.tail
      ?? (compaction.writer.end, JournalReplay(file, path: path, after: base))
    let stop = try tail.replay.read(
      to: committed.end,
      atMost: byteCount,
      into: &compaction.writer
    )
    compaction.tail = tail
    guard stop == .limit else {
      throw JournalFormat.corrupt(path, at: tail.replay.offset, "a commit is not what was written")
    }
  }

  /// Gives the new generation its name, for good or not at all.
  private mutating func publish(_ writer: GenerationWriter) throws {
    let newPath = directory.journalPath(writer.generation)
    if isFormatInDoubt {
      try directory.writeFormat(store: storeID)
      isFormatInDoubt = false
    }
    do {
      try writer.rename()
      try directory.files.syncDirectory(directory.path)
    } catch {
      try withdraw(newPath)
      throw error
    }
    highestGeneration = writer.generation
  }

  /// Takes a new generation back whose rename failed or may not be durable.
  ///
  /// Unless it surely never had its name, a crash may bring it back and put it in force: then no
  /// further commit may go into the old file.
  private mutating func withdraw(_ newPath: String) throws {
    do {
      if try directory.files.info(newPath) == nil { return }
    } catch {
      note("\(newPath) could not be looked at: \(error)")
    }
    needsNewGeneration = true
    highestGeneration += 1
    do {
      try directory.files.remove(newPath)
    } catch {
      note("\(newPath) could not be removed: \(error)")
    }
  }

  /// Removes what is not in force: older generations and temporary files.
  ///
  /// What cannot be removed is removed another time.
  mutating func sweep() {
    do {
      for name in try directory.files.list(directory.path) {
        let older = StateDirectory.generation(ofName: name).map { $0 < generation } ?? false
        guard older || name.hasSuffix(StateDirectory.temporarySuffix) else { continue }
        try directory.files.remove(FilePath.join(directory.path, name))
      }
    } catch {
      note("\(directory.path) could not be swept: \(error)")
    }
  }
}
