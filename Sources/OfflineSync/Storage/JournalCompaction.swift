/// A next generation being written: the state as it was at the beginning, then the commits since.
struct JournalCompaction: Sendable {
  var writer: GenerationWriter
  var relocation = JournalRelocation()
  /// The commit that the state is of.
  let base: JournalCommit
  /// Where the first commit since then begins in the new file, and who reads them from the old one.
  var tail: (start: Int64, replay: JournalReplay)?

  init(_ writer: GenerationWriter, of base: JournalCommit) {
    self.writer = writer
    self.base = base
  }
}

/// Copies transactions into the next generation; only their commit lines are written anew.
extension GenerationWriter: JournalVisitor {
  mutating func reset() {}

  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
    if JournalFields.kind(of: line) == JournalKind.commit {
      try commit(JournalCommit.elements(of: line).sequence)
    } else {
      try append(line)
    }
  }
}
