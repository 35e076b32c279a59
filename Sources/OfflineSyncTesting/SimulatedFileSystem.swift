import OfflineSync
import Synchronization

/// A disk in memory that loses what was not synced, fails when told to and crashes when told to.
///
/// It is as strict as POSIX lets a disk be. Syncing a file makes its content and size durable, but not
/// its name; names need a sync of their directory, of both if a renaming leads from one to the other. A
/// sector of 512 bytes is written whole or not at all, in no particular order. After a failed sync nothing
/// is known of what it should have made durable, and a later one says nothing about it.
///
/// ```swift
/// let disk = SimulatedFileSystem()
/// disk.crash(afterOperation: 12)
/// // … use it until it throws SimulatedCrash …
/// for survivor in disk.survivingStates(limit: 64, seed: 1) {
///   // … open the survivor and check what must be there …
/// }
/// ```
public final class SimulatedFileSystem: Sendable {
  private let state: Mutex<State>
  let now: @Sendable () -> Int64

  /// An empty disk.
  ///
  /// - Parameter now: The time of changes, in milliseconds since 1970.
  public convenience init(now: @escaping @Sendable () -> Int64 = { 0 }) {
    self.init(SimulatedDisk(), now: now)
  }

  private init(_ disk: SimulatedDisk, now: @escaping @Sendable () -> Int64) {
    state = Mutex(State(disk: disk))
    self.now = now
  }
}

// MARK: - Faults and crashes

extension SimulatedFileSystem {
  /// How many operations the disk was asked for; closing and unlocking do not count.
  public var operationCount: Int { state.withLock { $0.log.count } }

  /// Every operation so far.
  public var operations: [SimulatedOperation] { state.withLock { $0.log } }

  /// Whether the disk has crashed.
  public var isCrashed: Bool { state.withLock { $0.isCrashed } }

  /// The bytes that all files together may have; a write beyond that fills the disk and throws.
  public var capacity: Int64 {
    get { inspect { $0.capacity } }
    set { inspect { $0.capacity = newValue } }
  }

  /// Makes an operation fail.
  ///
  /// A failing write has written the first half of its bytes, a failing sync leaves open what is
  /// durable; all others have done nothing.
  ///
  /// - Parameters:
  ///   - number: Which operation, counted from 1 as ``operationCount`` does.
  ///   - fault: How it fails.
  ///   - isForEver: Whether all operations after it fail as well.
  public func fail(operation number: Int, _ fault: SimulatedFault, isForEver: Bool = false) {
    add(FaultRule(number: number, pathEnding: "", fault: fault, isForEver: isForEver))
  }

  /// Makes the next operation of this name fail.
  ///
  /// - Parameters:
  ///   - name: The name, as in ``SimulatedOperation/name``.
  ///   - pathEnding: How its path ends; empty: any.
  ///   - fault: How it fails.
  ///   - isForEver: Whether all such operations fail from now on.
  public func failNext(
    _ name: String,
    pathEnding: String = "",
    _ fault: SimulatedFault,
    isForEver: Bool = false
  ) {
    add(FaultRule(name: name, pathEnding: pathEnding, fault: fault, isForEver: isForEver))
  }

  /// Takes back every failure asked for.
  public func stopFailing() { state.withLock { $0.rules = [] } }

  /// Crashes the disk as soon as it was asked for more than so many operations.
  public func crash(afterOperation number: Int) {
    state.withLock { $0.lastOperation = number }
  }

  /// Crashes the disk now: every later call throws ``SimulatedCrash``.
  public func crash() { state.withLock { $0.isCrashed = true } }

  /// What a power failure now, or the crash, can leave, each state on a disk of its own.
  ///
  /// The first has what is durable and nothing else, the second everything. No state comes twice. If
  /// there are no more than `limit` in all, these are all; otherwise some notable and some random ones.
  ///
  /// - Parameters:
  ///   - limit: The most states to make; at least 1.
  ///   - seed: Chooses the random ones.
  /// - Returns: New disks with the same capacity, on which everything is durable and nothing fails.
  public func survivingStates(limit: Int = 64, seed: UInt64 = 0) -> [SimulatedFileSystem] {
    inspect { $0 }.survivors(limit: limit, seed: seed).map { SimulatedFileSystem($0, now: now) }
  }

  /// What the process finds that comes after one killed now.
  ///
  /// - Returns: A new disk that shows the same, with the same still to be synced, but no locks.
  public func afterKill() -> SimulatedFileSystem {
    var disk = inspect { $0 }
    disk.closeAll()
    return SimulatedFileSystem(disk, now: now)
  }

  private func add(_ rule: FaultRule) { state.withLock { $0.rules.append(rule) } }
}

// MARK: - Doing operations

extension SimulatedFileSystem {
  /// Which operations fail, and how.
  private struct FaultRule {
    var number: Int?
    var name: String?
    var pathEnding: String
    var fault: SimulatedFault
    var isForEver: Bool

    func concerns(_ operation: SimulatedOperation) -> Bool {
      if let number {
        return isForEver ? operation.number >= number : operation.number == number
      }
      return operation.name == name && operation.path.hasSuffix(pathEnding)
    }
  }

  private struct State {
    var disk: SimulatedDisk
    var log: [SimulatedOperation] = []
    var rules: [FaultRule] = []
    var lastOperation = Int.max
    var isCrashed = false

    /// Notes the operation; answers with how it is to fail.
    mutating func begin(_ name: String, _ path: String, _ detail: String) throws -> SimulatedFault?
    {
      try requireRunning()
      let operation = SimulatedOperation(
        number: log.count + 1,
        name: name,
        path: path,
        detail: detail
      )
      log.append(operation)
      guard let index = rules.firstIndex(where: { $0.concerns(operation) }) else { return nil }
      let rule = rules[index]
      if !rule.isForEver { rules.remove(at: index) }
      return rule.fault
    }

    mutating func requireRunning() throws {
      if log.count >= lastOperation { isCrashed = true }
      if isCrashed { throw SimulatedCrash(operationCount: log.count) }
    }
  }

  /// Does an operation, unless it is to fail or the disk has crashed.
  func perform<Value: Sendable>(
    _ name: String,
    _ path: String,
    _ detail: String = "",
    failing: (inout SimulatedDisk) throws -> Void = { _ in },
    _ body: (inout SimulatedDisk, Int64) throws -> Value
  ) throws -> Value {
    let now = now()
    return try state.withLock { state in
      if let fault = try state.begin(name, path, detail) {
        try failing(&state.disk)
        throw FileError(fault.kind, operation: name == "create" ? "open" : name, path: path)
      }
      return try body(&state.disk, now)
    }
  }

  /// Does what is no operation and cannot fail, unless the disk has crashed.
  func performUncounted<Value: Sendable>(
    _ body: (inout SimulatedDisk) throws -> Value
  ) throws -> Value {
    try state.withLock { state in
      try state.requireRunning()
      return try body(&state.disk)
    }
  }

  /// Looks at the disk or changes it behind its back; works on a crashed one too.
  func inspect<Value: Sendable>(_ body: (inout SimulatedDisk) throws -> Value) rethrows -> Value {
    try state.withLock { try body(&$0.disk) }
  }
}
