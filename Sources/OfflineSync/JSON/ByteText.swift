/// A text compared, ordered and hashed by its UTF-8 bytes.
///
/// `String` compares by Unicode equivalence, which would make one key of a composed and a
/// decomposed letter.
package struct ByteText: Sendable {
  package let string: String

  package init(_ string: String) { self.string = string }
}

extension ByteText: Hashable, Comparable {
  package static func == (left: ByteText, right: ByteText) -> Bool {
    // Texts of the same bytes are equal as strings, too; most others are told apart by that at once.
    left.string.utf8.count == right.string.utf8.count && left.string == right.string
      && left.string.utf8.elementsEqual(right.string.utf8)
  }

  package static func < (left: ByteText, right: ByteText) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }

  /// Feeds the hasher eight bytes at a time: one by one it costs several times as much.
  package func hash(into hasher: inout Hasher) {
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in string.utf8 {
      word = word << 8 | UInt64(byte)
      count &+= 1
      if count & 7 == 0 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(count)
  }
}
