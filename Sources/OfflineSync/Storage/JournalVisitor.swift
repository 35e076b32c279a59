/// What reads a journal: the store's state, the writer of the next generation, a verifier.
package protocol JournalVisitor {
  /// A line that will be visited soon: time to load what the visit will look up.
  ///
  /// Of lines far apart in memory many are waited for at once; a visit would wait for each alone.
  mutating func expect(_ line: Span<UInt8>)

  /// Forgets everything: the journal is read again from its start.
  mutating func reset()

  /// One verified line without its newline, in the order of the file; header and commit lines too.
  ///
  /// Lines of a transaction whose commit line never comes are followed by ``reset()`` and a second
  /// pass without them. What is thrown ends the reading; a ``JournalLineError``, JSON_MALFORMED
  /// and RECORD_MALFORMED turn into STORE_CORRUPT naming file and offset.
  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws
}

extension JournalVisitor {
  /// Nothing to load.
  package mutating func expect(_ line: Span<UInt8>) {}
}
