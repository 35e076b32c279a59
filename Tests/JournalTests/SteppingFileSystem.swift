import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// Lets something happen before every call of a reader.
final class SteppingFileSystem: FileSystem {
  private let base: any FileSystem
  private let step: @Sendable () -> Void

  init(_ base: any FileSystem, step: @escaping @Sendable () -> Void) {
    self.base = base
    self.step = step
  }

  func open(_ path: String, _ mode: FileMode) throws -> any File {
    step()
    return SteppingFile(try base.open(path, mode), step: step)
  }

  func list(_ directory: String) throws -> [String] {
    step()
    return try base.list(directory)
  }

  func info(_ path: String) throws -> FileInfo? {
    step()
    return try base.info(path)
  }

  func makeDirectory(_ path: String) throws { try base.makeDirectory(path) }
  func rename(_ path: String, to newPath: String) throws { try base.rename(path, to: newPath) }
  func link(_ path: String, to newPath: String) throws { try base.link(path, to: newPath) }
  func remove(_ path: String) throws { try base.remove(path) }
  func syncDirectory(_ path: String) throws { try base.syncDirectory(path) }
  func freeByteCount(at path: String) throws -> Int64 { try base.freeByteCount(at: path) }
}

private final class SteppingFile: File {
  private let base: any File
  private let step: @Sendable () -> Void

  init(_ base: any File, step: @escaping @Sendable () -> Void) {
    self.base = base
    self.step = step
  }

  func read(at offset: Int64, count: Int) throws -> [UInt8] {
    step()
    return try base.read(at: offset, count: count)
  }

  func byteCount() throws -> Int64 {
    step()
    return try base.byteCount()
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws { try base.write(bytes, at: offset) }
  func truncate(to byteCount: Int64) throws { try base.truncate(to: byteCount) }
  func sync() throws { try base.sync() }
  func identity() throws -> FileIdentity { try base.identity() }
  func tryLock(_ kind: LockKind) throws -> Bool { try base.tryLock(kind) }
  func unlock() throws { try base.unlock() }
  func close() throws { try base.close() }
}

/// A store whose writer does the next thing, chosen by chance, whenever it is asked to.
final class SmallStoreOwner: Sendable {
  let store: Mutex<SmallStore>
  private let plan: Mutex<Plan>

  private struct Plan {
    var random: SeededRandom
    var number = 0
    var isStopped = false
    var isTorn = false

    mutating func nextBodies() -> [String] {
      let count = Int(random.next() % 3) + 1
      number += count
      return (number - count..<number).map {
        "\"\($0) \(String(repeating: "x", count: $0 % 700))\""
      }
    }
  }

  init(_ test: TestJournal, seed: UInt64 = 0) throws {
    store = Mutex(try SmallStore(test))
    plan = Mutex(Plan(random: SeededRandom(seed: seed)))
  }

  /// The bodies of all commits, in order.
  var committed: [String] { store.withLock { Array($0.acknowledged.joined()) } }

  func stop() {
    plan.withLock { $0.isStopped = true }
    step(9, isLast: true)
  }

  func step() {
    let choice = plan.withLock { plan in plan.isStopped ? nil : plan.random.next() % 12 }
    if let choice { step(choice, isLast: false) }
  }

  private func step(_ choice: UInt64, isLast: Bool) {
    do {
      try store.withLock { store in
        try plan.withLock { plan in
          if plan.isTorn {
            try store.cutBack()
            plan.isTorn = false
          }
          guard !isLast else { return }
          switch choice {
          case 0..<5: return
          case 5:
            try store.writeHalf(of: ["half", "\(plan.number)"])
            plan.isTorn = true
          case 6: try store.compact([plan.nextBodies(), plan.nextBodies()])
          default: try store.commit(plan.nextBodies())
          }
        }
      }
    } catch {
      Issue.record(error)
    }
  }
}

extension SmallStore {
  /// Leaves the beginning of a commit in the file, as one that is under way or has failed does.
  fileprivate func writeHalf(of bodies: [String]) throws {
    let bytes = JournalTransaction(bodies: bodies).bytes
    let path = test.directory.journalPath(journal.generation)
    let file = try test.files.open(path, .readWrite)
    try file.write(Array(bytes.prefix(bytes.count * 2 / 3)), at: journal.byteCount)
  }

  fileprivate func cutBack() throws {
    let path = test.directory.journalPath(journal.generation)
    try test.files.open(path, .readWrite).truncate(to: journal.byteCount)
  }
}
