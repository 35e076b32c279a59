/// Where a line lies.
package struct JournalLine: Sendable, Hashable {
  /// Its first byte: in the file; of a line not yet committed, in its transaction.
  package var offset: Int64
  /// Its size with the newline.
  package var byteCount: Int
  /// The bytes before its last element, the body; 0 in a line that was only visited.
  ///
  /// Who parses the head of a visited line knows it: ``JournalFields/body(in:)`` starts there.
  package var headByteCount: Int

  /// Makes a place.
  package init(offset: Int64, byteCount: Int, headByteCount: Int = 0) {
    self.offset = offset
    self.byteCount = byteCount
    self.headByteCount = headByteCount
  }

  /// The size of the last element; without a known head it means nothing.
  package var bodyByteCount: Int { byteCount - headByteCount - 2 }

  /// The first byte after the line.
  package var end: Int64 { offset + Int64(byteCount) }
}
