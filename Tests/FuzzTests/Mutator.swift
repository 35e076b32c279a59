import OfflineSyncTesting

/// Changes texts at random places, as bad disks, bad programs and bad lines do, and worse.
struct Mutator: Sendable {
  /// What is changed.
  let corpus: [[UInt8]]
  /// What is put in.
  let tokens: [[UInt8]]

  init(_ corpus: [[UInt8]], tokens: [String]) {
    self.corpus = corpus
    self.tokens = tokens.map { Array($0.utf8) } + Self.badTexts
  }

  init(_ corpus: [String], tokens: [String]) {
    self.init(corpus.map { Array($0.utf8) }, tokens: tokens)
  }

  /// Bytes that mean something to a reader of JSON, or are no text.
  private static let bytes =
    Array("{}[]\":,\\/ \n\t\r0123456789eE+-.abnrtufsl%".utf8)
    + [0, 0x1F, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF]

  /// Overlong, half a surrogate, beyond Unicode, cut short, and a byte order mark.
  private static let badTexts: [[UInt8]] = [
    [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xEF, 0xBB, 0xBF],
  ]

  /// One of the texts, changed once or a few times.
  func input(_ random: inout SeededRandom) -> [UInt8] {
    var bytes = corpus[Int.random(in: 0..<corpus.count, using: &random)]
    repeat { change(&bytes, &random) } while Int.random(in: 0..<3, using: &random) == 0
    return bytes
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
    switch Int.random(in: 0..<45, using: &random) / 4 {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = Self.byte(&random)
    case 2, 3: bytes.insert(Self.byte(&random), at: place)
    case 4: bytes.removeSubrange(place..<end)
    case 5: bytes.removeSubrange(place...)
    case 6: bytes.insert(contentsOf: bytes[place..<end], at: end)
    case 7: bytes.insert(contentsOf: token(&random), at: place)
    case 8: bytes.replaceSubrange(place..<end, with: token(&random))
    case 9: replaceToken(&bytes, from: place, &random)
    case 10: splice(&bytes, place, &random)
    default:
      let depth = [3, 199, 200, 201, 600][Int.random(in: 0..<5, using: &random)]
      let bracket = Bool.random(using: &random) ? "[" : #"{"a":"#
      bytes.insert(contentsOf: String(repeating: bracket, count: depth).utf8, at: place)
      guard Bool.random(using: &random) else { return }
      let close: UInt8 = bracket == "[" ? UInt8(ascii: "]") : UInt8(ascii: "}")
      bytes.insert(
        contentsOf: [UInt8(ascii: "1")] + [UInt8](repeating: close, count: depth),
        at: place + bracket.utf8.count * depth
      )
    }
  }

  /// Puts a token in the place of what stands between two marks of JSON.
  private func replaceToken(
    _ bytes: inout [UInt8],
    from place: Int,
    _ random: inout SeededRandom
  ) {
    let marks = Array(":,[{".utf8)
    guard let mark = bytes[place...].firstIndex(where: marks.contains) else { return }
    let ends = Array(",]}:".utf8)
    let end = bytes[(mark + 1)...].firstIndex(where: ends.contains) ?? bytes.count
    bytes.replaceSubrange((mark + 1)..<end, with: token(&random))
  }

  /// Puts a piece of another text in.
  private func splice(_ bytes: inout [UInt8], _ place: Int, _ random: inout SeededRandom) {
    let other = corpus[Int.random(in: 0..<corpus.count, using: &random)]
    let start = Int.random(in: 0...other.count, using: &random)
    let end = Int.random(in: start...other.count, using: &random)
    if Bool.random(using: &random) { bytes.removeSubrange(place...) }
    bytes.insert(contentsOf: other[start..<end], at: place)
  }

  private func token(_ random: inout SeededRandom) -> [UInt8] {
    tokens[Int.random(in: 0..<tokens.count, using: &random)]
  }

  private static func byte(_ random: inout SeededRandom) -> UInt8 {
    bytes[Int.random(in: 0..<bytes.count, using: &random)]
  }
}
