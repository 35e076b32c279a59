import OfflineSync
import Testing

struct ProgressGuardTests {
  private let full = SyncPage([["Id": "a", "n": 1]])

  private func code(_ body: () throws -> Void) -> SyncError.Code? {
    do {
      try body()
      return nil
    } catch let error as SyncError {
      return error.code
    } catch {
      return .store
    }
  }

  @Test func `the second empty page with the same cursor is one too many`() throws {
    var progress = ProgressGuard(isCheckpointed: true)
    try progress.judge(SyncPage([]), checkpointMoved: false)
    #expect(
      code { try progress.judge(SyncPage([]), checkpointMoved: false) } == .syncNoProgress
    )
  }

  @Test func `an empty page with a moved cursor goes on for ever`() throws {
    var progress = ProgressGuard(isCheckpointed: true)
    for _ in 0..<5000 { try progress.judge(SyncPage([]), checkpointMoved: true) }
    try progress.judge(SyncPage([]), checkpointMoved: false)
    try progress.judge(SyncPage([]), checkpointMoved: true)
    try progress.judge(SyncPage([]), checkpointMoved: false)
  }

  @Test func `a target without a cursor may answer 999 times with nothing`() throws {
    var progress = ProgressGuard(isCheckpointed: false)
    for _ in 0..<999 { try progress.judge(SyncPage([]), checkpointMoved: false) }
    #expect(
      code { try progress.judge(SyncPage([]), checkpointMoved: false) } == .syncNoProgress
    )
  }

  @Test func `something between empty pages starts the count anew`() throws {
    var progress = ProgressGuard(isCheckpointed: true)
    for number in 0..<10 {
      try progress.judge(SyncPage([]), checkpointMoved: false)
      try progress.judge(SyncPage([["Id": .int64(Int64(number))]]), checkpointMoved: false)
    }
  }

  @Test(arguments: [true, false])
  func `the third page in a row with the same bytes is one too many`(_ moved: Bool) throws {
    var progress = ProgressGuard(isCheckpointed: moved)
    try progress.judge(full, checkpointMoved: moved)
    try progress.judge(full, checkpointMoved: moved)
    #expect(code { try progress.judge(full, checkpointMoved: moved) } == .syncNoProgress)
  }

  @Test func `the same page with another between is none`() throws {
    var progress = ProgressGuard(isCheckpointed: false)
    for _ in 0..<5 {
      try progress.judge(full, checkpointMoved: false)
      try progress.judge(full, checkpointMoved: false)
      try progress.judge(SyncPage([["Id": "a", "n": 1.0]]), checkpointMoved: false)
    }
  }

  @Test func `deletions, related records and problems are something`() {
    #expect(SyncPage([]).isEmpty)
    #expect(SyncPage([], related: ["notes": []]).isEmpty)
    #expect(!SyncPage([], deletedIDs: ["a"]).isEmpty)
    #expect(!SyncPage([], related: ["notes": [["Id": "n"]]]).isEmpty)
    #expect(!SyncPage([], relatedDeletedIDs: ["notes": ["n"]]).isEmpty)
    var page = SyncPage([])
    page.problems = [Rows.problem(1)]
    #expect(!page.isEmpty)
    #expect(page.countedSize == 1)
  }
}
