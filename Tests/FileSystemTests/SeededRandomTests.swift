import OfflineSyncTesting
import Testing

struct SeededRandomTests {
  /// The first numbers of the authors' own implementation for this seed.
  private let published: [UInt64] = [
    6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
    4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
  ]

  @Test func `the sequence is that of SplitMix64`() {
    var random = SeededRandom(seed: 1_234_567)
    #expect((0..<5).map { _ in random.next() } == published)
  }

  @Test func `the source goes on where the generator is`() {
    var random = SeededRandom(seed: 1_234_567)
    _ = random.next()
    let source = random.source()
    #expect((0..<4).map { _ in source() } == Array(published.dropFirst()))
    #expect(random.next() == published[1])
  }

  @Test func `tasks that share a source draw each number once`() async {
    let source = SeededRandom(seed: 7).source()
    let numbers = await withTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<8 { group.addTask { (0..<100).map { _ in source() } } }
      return await group.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
    }
    var random = SeededRandom(seed: 7)
    #expect(numbers == Set((0..<800).map { _ in random.next() }))
  }
}
