import OfflineSync
import OfflineSyncCommands
import Testing

struct ProgressBarsTests {
  static func state(
    _ id: SyncID,
    _ name: String?,
    _ status: SyncStatus,
    _ progress: Int,
    of total: Int
  ) -> SyncState {
    let plan = SyncRow.Plan(
      collection: "cities",
      options: SyncOptions(),
      target: ["type": "folder"],
      idField: "Id",
      dateField: "lastModifiedDate",
      versionField: "lastModifiedDate",
      relatedCollections: []
    )
    var row = SyncRow(id: id, name: name, direction: .syncDown, plan: plan)
    row.status = status
    row.progress = progress
    row.totalSize = total
    return row.state
  }

  @Test func `the first status is one line`() {
    var bars = ProgressBars(usesColor: false)
    let text = bars.show(Self.state(1, "down", .running, 50, of: 30))
    #expect(
      text == "\r\u{1B}[2Kdown                 [############------------]  50 % of 30 running\n"
    )
  }

  @Test func `a later status is drawn over all lines`() {
    var bars = ProgressBars(usesColor: false)
    _ = bars.show(Self.state(1, "a", .running, 0, of: -1))
    _ = bars.show(Self.state(2, nil, .running, 0, of: 10))
    let lines = bars.show(Self.state(1, "a", .done, 100, of: 3)).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("\u{1B}[2A\r\u{1B}[2Ka "))
    #expect(lines[0].hasSuffix("[########################] 100 % of 3 done"))
    #expect(
      lines[1].hasSuffix("sync 2               [------------------------]   0 % of 10 running")
    )
  }

  @Test func `an unknown total is left out, a long name is cut`() {
    var bars = ProgressBars(usesColor: false)
    let name = String(repeating: "x", count: 30)
    let text = bars.show(Self.state(1, name, .running, 0, of: -1))
    #expect(text.contains("\(String(repeating: "x", count: 19))… ["))
    #expect(text.hasSuffix("  0 % running\n"))
  }

  @Test(arguments: [(SyncStatus.done, 32), (.failed, 31), (.stopped, 33)])
  func `an ended run is coloured`(status: SyncStatus, color: Int) {
    var bars = ProgressBars(usesColor: true)
    let text = bars.show(Self.state(1, "down", status, 10, of: 10))
    #expect(text.hasSuffix("\u{1B}[\(color)m\(status)\u{1B}[0m\n"))
  }

  static func update(
    _ reference: String,
    _ state: AttachmentState,
    _ progress: Int64
  ) -> AttachmentUpdate {
    AttachmentUpdate(
      reference: reference,
      status: AttachmentStatus(state: state, progress: progress, byteCount: 200)
    )
  }

  @Test func `an attachment has a line while it is on its way`() {
    var bars = ProgressBars(usesColor: false)
    #expect(bars.show(Self.update("me/1/a.jpg", .queued, 0)) == "")
    #expect(bars.show(Self.update("me/1/b.jpg", .synced, 200)) == "")
    #expect(
      bars.show(Self.update("me/1/a.jpg", .uploading, 50))
        == "\r\u{1B}[2Ka.jpg                [######------------------]  25 % of 200 bytes uploading\n"
    )
    #expect(bars.show(Self.update("me/1/a.jpg", .synced, 200)).hasSuffix("200 bytes synced\n"))
    #expect(bars.show(Self.update("me/1/a.jpg", .orphaned, 200)) == "")
  }

  @Test func `one that is done gives its line to the next`() {
    var bars = ProgressBars(usesColor: false)
    _ = bars.show(Self.state(1, "up", .done, 100, of: 3))
    _ = bars.show(Self.update("me/1/a.jpg", .uploading, 0))
    _ = bars.show(Self.update("me/1/b.jpg", .downloading, 0))
    _ = bars.show(Self.update("me/1/a.jpg", .failed, 100))
    let lines = bars.show(Self.update("me/1/c.jpg", .uploading, 0)).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].contains("c.jpg "))
    #expect(lines[2].contains("b.jpg "))
  }
}
