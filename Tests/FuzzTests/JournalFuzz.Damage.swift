import OfflineSync
import OfflineSyncTesting

extension JournalFuzz {
  private static func mutator(_ bytes: [UInt8]) -> Mutator {
    Mutator([bytes], tokens: ["\n", "]\n", "[\"", "null", "{}", "0", "\"e\"", "\0\0\0\0"])
  }

  /// A good journal as a bad disk or a bad program leaves it.
  static func damaged(
    _ sample: JournalCorpus.Sample,
    _ corpus: JournalCorpus,
    _ random: inout SeededRandom
  ) -> [UInt8] {
    var bytes = sample.bytes
    // Mostly the end is what is damaged; a good journal that is cut there is a good one.
    if Bool.random(using: &random) {
      bytes = Array(bytes.prefix(Int.random(in: sample.ends[0]...bytes.count, using: &random)))
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return bytes
    case 1, 2: return mutator(bytes).input(&random)
    case 3:
      let sector = Int.random(in: 0...bytes.count / 512, using: &random) * 512
      let shift = Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0
      let end = min(bytes.count, sector + 512 * Int.random(in: 1...2, using: &random))
      for index in min(end, sector + shift)..<end { bytes[index] = 0 }
      return bytes
    case 4:
      let count = [1, 100, 512, 700][Int.random(in: 0..<4, using: &random)]
      return bytes + [UInt8](repeating: 0, count: count)
    default: return moved(bytes, corpus, &random)
    }
  }

  /// Lines that are missing, doubled, swapped, or of another journal.
  private static func moved(
    _ bytes: [UInt8],
    _ corpus: JournalCorpus,
    _ random: inout SeededRandom
  ) -> [UInt8] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(Array.init)
    let place = Int.random(in: 0..<lines.count, using: &random)
    let other = Int.random(in: 0..<lines.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: lines.remove(at: place)
    case 1: lines.insert(lines[other], at: place)
    case 2: lines.swapAt(place, other)
    default:
      let foreign = corpus.samples[Int.random(in: 0..<corpus.samples.count, using: &random)].bytes
        .split(separator: UInt8(ascii: "\n"))
      lines.insert(Array(foreign[Int.random(in: 0..<foreign.count, using: &random)]), at: place)
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}
