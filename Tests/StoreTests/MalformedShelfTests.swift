import OfflineSync
import OfflineSyncTesting
import Testing

/// The shelf of malformed bytes against one that goes through all its items.
struct MalformedShelfTests {
  /// What the shelf is to do, said plainly.
  private struct Plain {
    var items: [MalformedShelf.Item] = []

    mutating func add(_ item: MalformedShelf.Item, limit: Int) -> Int64 {
      guard !holds(item.check, of: item.sync) else { return 0 }
      items.append(item)
      let ofSync = items.filter { $0.sync == item.sync }
      guard ofSync.count > limit, let oldest = ofSync.first else {
        return Int64(item.line.byteCount)
      }
      items.removeAll { $0.sync == oldest.sync && $0.check == oldest.check }
      return Int64(item.line.byteCount - oldest.line.byteCount)
    }

    mutating func remove(_ id: RecordID) -> Int64 {
      let size = items.filter { $0.id == id }.reduce(0) { $0 + $1.line.byteCount }
      items.removeAll { $0.id == id }
      return Int64(size)
    }

    func holds(_ check: UInt64, of sync: Int64) -> Bool {
      items.contains { $0.check == check && $0.sync == sync }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any additions and removals leave what a plain list would hold`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var shelf = MalformedShelf()
    var plain = Plain()
    for step in 0..<400 {
      let id = RecordID("r\(Int.random(in: 0..<9, using: &random))")
      if Int.random(in: 0..<5, using: &random) == 0 {
        #expect(shelf.remove(id) == plain.remove(id))
      } else {
        let item = MalformedShelf.Item(
          id: Bool.random(using: &random) ? id : nil,
          line: JournalLine(offset: Int64(step), byteCount: Int.random(in: 1..<99, using: &random)),
          sync: Int64.random(in: 1...2, using: &random),
          foundAt: 0,
          check: UInt64.random(in: 0..<30, using: &random)
        )
        #expect(shelf.add(item, limit: 6) == plain.add(item, limit: 6))
      }
      #expect(shelf.items.map { $0.line.offset } == plain.items.map { $0.line.offset })
      for number in 0..<9 {
        let id = RecordID("r\(number)")
        #expect(shelf.holds(id) == plain.items.contains { $0.id == id })
      }
      for check in 0..<30 as Range<UInt64> {
        #expect(shelf.holds(check, of: 1) == plain.holds(check, of: 1))
      }
    }
  }
}
