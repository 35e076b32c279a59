import OfflineSync
import OfflineSyncTesting
import Testing

/// Cuts and flips of a small store are found, and nothing of them is taken for data.
struct StoreDamageTests {
  @Test(arguments: 0..<Sample.parts)
  func `a flipped bit is damage to a writer, which writes nothing, and shown by a reader`(
    part: Int
  ) async throws {
    let reference = try await ScriptReference()
    let good = try #require(reference.disks.last)
    let path = try StoreWorld(good).journalPath()
    let bytes = try good.bytes(of: path)
    let lastStart = try reference.disks[reference.disks.count - 2].bytes(of: path).count
    for offset in bytes.indices where Sample.takes(offset, in: part) {
      let disk = good.afterKill()
      try disk.flipBit(offset * 8 + (offset / Sample.parts) % 8, of: path)
      let damaged = try disk.bytes(of: path)
      await #expect("byte \(offset)") {
        _ = try await ScriptRun.world(disk).open()
      } throws: { error in
        guard let error = error as? SyncError else { return false }
        return error.code == .storeCorrupt && error.message.contains(path)
      }
      #expect(try disk.bytes(of: path) == damaged)
      guard offset % 5 == 0 else { continue }
      let reader = try await ScriptRun.world(disk).open(.readOnly)
      let shown = try await StoreSnapshot(reader)
      if offset < lastStart {
        #expect(await reader.damage?.code == .storeCorrupt, "byte \(offset)")
      } else {
        // To a reader the newest transaction may be one that is just being written.
        #expect(shown == reference.snapshots[reference.snapshots.count - 2], "byte \(offset)")
      }
      try await reader.close()
    }
  }

  @Test(arguments: 0..<Sample.parts)
  func `a cut leaves an earlier state, or is damage`(part: Int) async throws {
    let reference = try await ScriptReference()
    let good = try #require(reference.disks.last)
    let path = try StoreWorld(good).journalPath()
    let bytes = try good.bytes(of: path)
    let compacted = try #require(
      StoreScript.steps.firstIndex { $0.name.contains("compacted") }
    )
    let stateEnd = try reference.disks[compacted + 1].bytes(of: path).count
    for count in 0..<bytes.count where Sample.takes(count, in: part) {
      let disk = good.afterKill()
      try disk.cut(path, to: count)
      do {
        let found = try await count % 5 == 0 ? ScriptRun.reopened(disk) : ScriptRun.opened(disk)
        #expect(count >= stateEnd && reference.snapshots.contains(found), "cut at \(count)")
      } catch let error as SyncError {
        #expect(error.code == .storeCorrupt && count < stateEnd, "cut at \(count): \(error)")
      }
    }
  }

  @Test
  func `FORMAT json with a flipped bit opens as it was, or not at all`() async throws {
    let reference = try await ScriptReference()
    let good = try #require(reference.disks.last)
    let path = "/state/FORMAT.json"
    for bit in 0..<(try good.bytes(of: path).count * 8) {
      let disk = good.afterKill()
      try disk.flipBit(bit, of: path)
      let damaged = try disk.bytes(of: path)
      do {
        let found = try await ScriptRun.opened(disk)
        #expect(found == reference.snapshots.last, "bit \(bit)")
      } catch let error as SyncError {
        #expect([.storeCorrupt, .storeTooNew].contains(error.code), "bit \(bit): \(error)")
        #expect(try disk.bytes(of: path) == damaged)
      }
    }
  }
}
