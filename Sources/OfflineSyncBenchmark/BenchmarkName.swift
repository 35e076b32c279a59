/// The benchmarks, in the order in which they run.
enum BenchmarkName: String, CaseIterable {
  case ingest
  case open
  case read
  case edit
  case scale
  case attachments
  case memory
  case largefile

  /// Runs it off the main actor, where nothing an app measures would have to queue.
  @concurrent
  func run(quick isQuick: Bool, in directory: String?) async throws {
    let folder = try WorkFolder(in: directory)
    defer { folder.remove() }
    switch self {
    case .ingest: try await IngestBenchmark(folder: folder, isQuick: isQuick).run()
    case .open: try await OpenBenchmark(folder: folder, isQuick: isQuick).run()
    case .read: try await ReadBenchmark(folder: folder, isQuick: isQuick).run()
    case .edit: try await EditBenchmark(folder: folder, isQuick: isQuick).run()
    case .scale: try await ScaleBenchmark(isQuick: isQuick).run()
    case .attachments: try await AttachmentBenchmark(isQuick: isQuick).run()
    case .memory: try await MemoryBenchmark(folder: folder, isQuick: isQuick).run()
    case .largefile: try await LargeFileBenchmark(folder: folder, isQuick: isQuick).run()
    }
  }
}
