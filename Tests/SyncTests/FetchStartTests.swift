import OfflineSync
import Testing

struct FetchStartTests {
  struct Line: Sendable, CustomTestStringConvertible {
    var status: SyncStatus
    var maxTimeStamp: Int64
    var isMidFetch = false
    var checkpoint: JSON?
    var overlap = Duration.zero
    var isCheckpointed = true
    var start: FetchStart

    var testDescription: String {
      "\(status) \(maxTimeStamp) \(isMidFetch ? "mid-fetch" : "") \(overlap): \(start)"
    }

    init(
      _ status: SyncStatus,
      _ maxTimeStamp: Int64,
      isMidFetch: Bool = false,
      checkpoint: JSON? = nil,
      overlap: Duration = .zero,
      isCheckpointed: Bool = true,
      _ start: FetchStart
    ) {
      self.status = status
      self.maxTimeStamp = maxTimeStamp
      self.isMidFetch = isMidFetch
      self.checkpoint = checkpoint
      self.overlap = overlap
      self.isCheckpointed = isCheckpointed
      self.start = start
    }
  }

  static let table = [
    Line(.new, -1, .startFetch(maxTimeStamp: -1)),
    Line(.new, -1, overlap: .seconds(5), .startFetch(maxTimeStamp: -1)),
    Line(.done, -1, .startFetch(maxTimeStamp: -1)),
    Line(.done, 5000, .startFetch(maxTimeStamp: 5000)),
    Line(.done, 5000, checkpoint: "c", .startFetch(maxTimeStamp: 5000)),
    Line(.done, 5000, overlap: .seconds(2), .startFetch(maxTimeStamp: 3000)),
    Line(.done, 5000, overlap: .seconds(6), .startFetch(maxTimeStamp: -1)),
    Line(.done, 5000, overlap: .seconds(-6), .startFetch(maxTimeStamp: 5000)),
    Line(.done, 0, .startFetch(maxTimeStamp: 0)),
    Line(.stopped, 0, .startFetch(maxTimeStamp: -1)),
    Line(.stopped, -1, .startFetch(maxTimeStamp: -1)),
    Line(.stopped, 5000, .startFetch(maxTimeStamp: 4999)),
    Line(.failed, 5000, .startFetch(maxTimeStamp: 4999)),
    Line(.running, 5000, .startFetch(maxTimeStamp: 4999)),
    Line(.failed, 5000, overlap: .seconds(2), .startFetch(maxTimeStamp: 2999)),
    Line(.stopped, 5000, checkpoint: "c", .startFetch(maxTimeStamp: 4999)),
    Line(.stopped, 5000, isMidFetch: true, .startFetch(maxTimeStamp: 4999)),
    Line(.stopped, 5000, isMidFetch: true, checkpoint: "c", .continueFetch),
    Line(.failed, -1, isMidFetch: true, checkpoint: "c", overlap: .seconds(2), .continueFetch),
    Line(.done, 5000, isMidFetch: true, checkpoint: "c", .continueFetch),
    Line(
      .stopped,
      5000,
      isMidFetch: true,
      checkpoint: "c",
      isCheckpointed: false,
      .startFetch(maxTimeStamp: 4999)
    ),
    Line(.done, .max, overlap: .seconds(Int64.max), .startFetch(maxTimeStamp: 0)),
  ]

  @Test(arguments: table)
  func `a run begins where the row says`(_ line: Line) {
    var row = Rows.row(line.status, maxTimeStamp: line.maxTimeStamp)
    row.isMidFetch = line.isMidFetch
    row.checkpoint = line.checkpoint
    row.plan.options.overlap = line.overlap
    #expect(fetchStart(row, isCheckpointed: line.isCheckpointed) == line.start)
  }

  @Test func `a stopped run does not lower the stored time`() throws {
    var machine = SyncMachine(Rows.row(.stopped, maxTimeStamp: 5000))
    for run: UInt64 in 1...3 {
      let start = try machine.submit(run: run, isCheckpointed: false, now: 1)
      #expect(start == .startFetch(maxTimeStamp: 4999))
      try machine.stop(run: run, now: 2)
    }
    #expect(machine.row.maxTimeStamp == 5000)
  }
}
