import OfflineSyncTesting
import Testing

/// Inputs that no program should write, by mutation of those that programs do write.
///
/// Every input has random numbers of its own. OFFLINESYNC_FUZZ says how many inputs are wanted in all,
/// OFFLINESYNC_FUZZ_SEED from which seed the fresh half of them comes, and OFFLINESYNC_FUZZ_ONLY, as in
/// `journal 12`, which input alone is tried again.
@Suite(.timeLimit(.minutes(30)))
struct FuzzTests {
  private enum Kind: CaseIterable {
    case pages, records, files, journals, configurations, answers
  }

  @Test func `whatever is read, nothing crashes, hangs or is lost in silence`() async throws {
    print("fuzzing with the seeds \(Fuzzing.seeds)")
    let corpus = try await JournalCorpus()
    var counts: [Kind: Int] = [:]
    await withTaskGroup(of: (Kind, Int).self) { group in
      for kind in Kind.allCases.reversed() {
        for seed in Fuzzing.seeds {
          group.addTask { (kind, await Self.count(kind, Fuzzing(seed: seed), corpus)) }
        }
      }
      for await (kind, count) in group { counts[kind, default: 0] += count }
    }
    let texts = [
      "\(counts[.pages] ?? 0) pages", "\(counts[.records] ?? 0) records",
      "\(counts[.journals] ?? 0) journals", "\(counts[.configurations] ?? 0) configurations",
      "\(counts[.answers] ?? 0) transfer answers", "\(counts[.files] ?? 0) record files",
    ]
    print("fuzzed: \(texts.joined(separator: ", "))")
    #expect(counts.values.contains { $0 > 0 })
  }

  private static func count(
    _ kind: Kind,
    _ fuzzing: Fuzzing,
    _ corpus: JournalCorpus
  ) async -> Int {
    switch kind {
    case .pages: return await fuzzing.run("page", 50_000) { try await PageFuzz.run(&$0) }
    case .records: return await fuzzing.run("record", 90_000) { try RecordFuzz.run(&$0) }
    case .files: return await fuzzing.run("folder", 1_000) { try await FolderFuzz.run(&$0) }
    case .journals:
      let damaged = await fuzzing.run("journal", 700) { try await JournalFuzz.run(corpus, &$0) }
      return await damaged + fuzzing.run("sealed", 500) { try await SealedFuzz.run(corpus, &$0) }
    case .configurations:
      return await fuzzing.run("configuration", 30_000) { try await ConfigurationFuzz.run(&$0) }
    case .answers:
      let texts = await fuzzing.run("retry", 25_000) { try RetryAfterFuzz.run(&$0) }
      let lies = await fuzzing.run("transfer", 500) { try await TransferFuzz.run(&$0) }
      return await texts + lies
        + fuzzing.run("description", 3_000) { try await DescriptionFuzz.run(&$0) }
    }
  }
}
