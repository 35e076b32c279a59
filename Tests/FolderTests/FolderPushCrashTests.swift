import OfflineSync
import OfflineSyncTesting
import Testing

/// The machine with the folder crashes after every operation of a push.
@Suite(.timeLimit(.minutes(15)))
struct FolderPushCrashTests {
  /// A push: what lies in the folder before, and what is sent.
  struct Push: Sendable, CustomTestStringConvertible {
    let name: String
    let change: LocalChange
    var testDescription: String { name }

    static let base: Record = ["Id": "a", "Name": "old", "lastModifiedDate": 5]
    static let all = [
      Push(name: "create", change: .create(["Name": "new"])),
      Push(name: "update", change: .update(from: base, to: ["Id": "a", "Name": "new"])),
      Push(name: "delete", change: .delete(base)),
    ]
  }

  /// What the folder says, as any device reads it.
  private func contents(_ folder: TestFolder) async throws -> [SyncPage] {
    // A device that holds the record hears of its deletion.
    try await folder.pages(server: ["a": ["Id": "a"]])
  }

  private func makeFolder() throws -> (disk: SimulatedFileSystem, folder: TestFolder) {
    let disk = SimulatedFileSystem()
    let folder = try TestFolder(disk, hasTombstones: false)
    try folder.put(Push.base.json, at: "a.json")
    let file = try disk.open(folder.places + "/a.json", .read)
    try file.sync()
    try file.close()
    for path in ["/", folder.root, folder.places] { try disk.syncDirectory(path) }
    return (disk, folder)
  }

  @Test(arguments: Push.all)
  func `a crash leaves the old or the new, and the push can be repeated`(push: Push) async throws {
    let whole = try makeFolder()
    let before = try await contents(whole.folder)
    let start = whole.disk.operationCount
    _ = try await FolderPushes(whole.folder).send(push.change)
    let count = whole.disk.operationCount - start
    let after = try await contents(whole.folder)
    #expect(before != after)
    #expect(after.flatMap(\.problems).isEmpty)
    var seen: Set<Bool> = []
    for number in 0..<count {
      let (disk, folder) = try makeFolder()
      disk.crash(afterOperation: disk.operationCount + number)
      let pushes = try await FolderPushes(folder)
      await #expect(throws: (any Error).self) { try await pushes.send(push.change) }
      for survivor in disk.survivingStates(limit: 24, seed: UInt64(number)) {
        let left = TestFolder(on: survivor)
        let read = try await contents(left)
        #expect(read == before || read == after, "after \(number) operations")
        seen.insert(read == after)
        let again = try await FolderPushes(left)
        if let outcome = try await again.probe(push.change) {
          #expect(read == after, "\(outcome) after \(number) operations")
        }
        _ = try await again.send(push.change)
        let repeated = try await contents(left)
        #expect(repeated == after, "after \(number) operations")
        #expect(try left.names().count { !$0.hasPrefix(".") } == after.first?.records.count)
      }
    }
    #expect(seen == [false, true])
  }

  @Test(arguments: Push.all, ["sent again", "probed"])
  func `what a killed process wrote outlives the power once another has answered for it`(
    push: Push,
    next: String
  ) async throws {
    let whole = try makeFolder()
    let start = whole.disk.operationCount
    _ = try await FolderPushes(whole.folder).send(push.change)
    let count = whole.disk.operationCount - start
    let after = try await contents(whole.folder)
    for number in 0...count {
      let (killed, folder) = try makeFolder()
      killed.crash(afterOperation: killed.operationCount + number)
      let pushes = try await FolderPushes(folder)
      _ = try? await pushes.send(push.change)
      let disk = killed.afterKill()
      let left = TestFolder(on: disk)
      let again = try await FolderPushes(left)
      if next == "probed" {
        guard try await again.probe(push.change) != nil else { continue }
      } else {
        _ = try await again.send(push.change)
      }
      disk.crash()
      for survivor in disk.survivingStates(limit: 24, seed: UInt64(number)) {
        #expect(try await contents(TestFolder(on: survivor)) == after, "killed after \(number)")
      }
    }
  }

  @Test(arguments: Push.all)
  func `an operation that fails once leaves the old or the new`(push: Push) async throws {
    let whole = try makeFolder()
    let before = try await contents(whole.folder)
    let start = whole.disk.operationCount
    _ = try await FolderPushes(whole.folder).send(push.change)
    let count = whole.disk.operationCount - start
    let after = try await contents(whole.folder)
    for number in 1...count {
      let (disk, folder) = try makeFolder()
      disk.fail(operation: disk.operationCount + number, .inputOutput)
      let pushes = try await FolderPushes(folder)
      do {
        let outcome = try await pushes.send(push.change)
        if case .failed(let failure) = outcome {
          // Its file could not be read.
          #expect(failure.isRetryable)
          #expect(try await contents(folder) == before)
        } else {
          #expect(try await contents(folder) == after, "failure of \(number)")
        }
      } catch let error as SyncError {
        #expect(error.code == .network)
        let read = try await contents(folder)
        #expect(read == before || read == after, "failure of \(number)")
      }
      _ = try await pushes.send(push.change)
      #expect(try await contents(folder) == after, "repeated after a failure of \(number)")
    }
  }
}
