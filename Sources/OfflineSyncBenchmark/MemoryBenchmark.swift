import Foundation
import OfflineSync

/// How much memory a pull of a million records needs.
struct MemoryBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  func run() async throws {
    let count = isQuick ? 200_000 : 1_000_000
    let client = try await folder.client("store")
    let peaks = Peaks()
    let first = SamplePages(recordCount: count) { try peaks.sample() }
    try await client.pull { try await first.next() }
    let peak = peaks.mebibytes
    let second = SamplePages(recordCount: count, round: 1) { try peaks.sample() }
    try await client.pull { try await second.next() }
    try await client.close()
    Figure(
      name: "memory.pull_\(count)_records",
      value: peak,
      unit: "MiB resident",
      target: isQuick ? nil : .atMost(200)
    ).report()
    // Twice the pages, the same records: what grew is what pages left behind.
    Figure(
      name: "memory.growth_by_as_many_pages_again",
      value: peaks.mebibytes - peak,
      unit: "MiB resident",
      target: .atMost(10)
    ).report()
  }
}
