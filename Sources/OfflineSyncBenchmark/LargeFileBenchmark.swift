import Foundation
import OfflineSync

/// How much memory it takes to move a file that does not fit into it up and down again.
///
/// Two devices share a folder: one attaches the file and sends it, the other fetches and verifies it.
struct LargeFileBenchmark {
  let folder: WorkFolder
  let isQuick: Bool

  private static let field = AttachmentField(
    collection: "contacts",
    record: RecordID(SampleRecords.id(0)),
    field: "photo"
  )
  private static let pieceByteCount = 1 << 20

  func run() async throws {
    let mebibytes = isQuick ? 64 : 1024
    let sender = try await client("sender")
    let receiver = try await client("receiver")
    // One record alone, so that nothing done before hides what moving the file takes.
    try await sender.pull(SampleRecords.record(0, round: 0))
    let peaks = Peaks()
    try peaks.sample()
    let idle = peaks.mebibytes
    let source = try write(mebibytes)

    let start = ContinuousClock.now
    let reference = try await sender.attachments.attach(file: source, to: Self.field)
    let attached = ContinuousClock.now
    try await sender.manager.syncUp(target: AgreeableTarget(), collection: "contacts")
    guard try await sender.attachments.sync() == 1 else {
      throw BenchmarkError("the file was not sent")
    }
    let sent = ContinuousClock.now
    try peaks.sample()
    report("up", mebibytes, above: idle, peaks, sent - attached)
    Figure(
      name: "largefile.attach_\(mebibytes)_MiB",
      value: Double(mebibytes) / (attached - start).seconds,
      unit: "MiB/s"
    ).report()

    guard
      let stored = try await sender.store.record(Self.field.record, in: Self.field.collection)
    else { throw BenchmarkError("the record is gone") }
    try await receiver.pull(stored.record)
    let asked = ContinuousClock.now
    guard let path = try await receiver.attachments.resolve(reference) else {
      throw BenchmarkError("the file was not fetched")
    }
    let fetched = ContinuousClock.now
    try peaks.sample()
    report("down", mebibytes, above: idle, peaks, fetched - asked)
    let byteCount = try SystemFileSystem().info(path)?.byteCount
    guard byteCount == Int64(mebibytes) << 20 else {
      throw BenchmarkError("\(byteCount ?? 0) bytes arrived")
    }
    try await sender.close()
    try await receiver.close()
  }

  private func client(_ name: String) async throws -> SyncClient {
    var configuration = SyncClient.Configuration()
    configuration.owner = "benchmark"
    configuration.attachmentColumns = [
      AttachmentColumn(collection: Self.field.collection, field: Self.field.field)
    ]
    configuration.transfer = FolderTransfer(folder.url.appending(path: "remote"))
    return try await SyncClient.open(
      at: folder.url.appending(path: name, directoryHint: .isDirectory),
      configuration: configuration
    )
  }

  /// Writes a file of so many MiB, no two of which are alike, a piece at a time.
  private func write(_ mebibytes: Int) throws -> URL {
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "remote"),
      withIntermediateDirectories: true
    )
    let file = try SystemFileSystem().openAnew(folder.path("source"))
    var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
    for number in 0..<mebibytes {
      for place in stride(from: 0, to: piece.count, by: 64) {
        piece[place] = UInt8(truncatingIfNeeded: number &* 31 &+ place / 64)
      }
      try file.write(piece, at: Int64(number) << 20)
    }
    try file.close()
    return folder.url.appending(path: "source")
  }

  private func report(
    _ direction: String,
    _ mebibytes: Int,
    above idle: Double,
    _ peaks: Peaks,
    _ time: Duration
  ) {
    Figure(
      name: "largefile.memory_\(direction)_\(mebibytes)_MiB",
      value: peaks.mebibytes - idle,
      unit: "MiB above idle",
      target: .atMost(64)
    ).report()
    Figure(
      name: "largefile.\(direction)_\(mebibytes)_MiB",
      value: Double(mebibytes) / time.seconds,
      unit: "MiB/s"
    ).report()
  }
}

extension SyncClient {
  /// Pulls one record.
  fileprivate func pull(_ record: Record) async throws {
    let pages = OnePage(SyncPage([record]))
    try await pull { await pages.next() }
  }
}

/// A source that has one page.
private actor OnePage {
  private var page: SyncPage?

  init(_ page: SyncPage) { self.page = page }

  func next() -> SyncPage? {
    defer { page = nil }
    return page
  }
}
