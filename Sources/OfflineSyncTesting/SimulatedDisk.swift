import OfflineSync

/// The state of a simulated disk: what it shows now, and what is durable of it.
struct SimulatedDisk: Sendable {
  /// One step on directory entries; it survives as a whole or not at all.
  struct EntryStep: Sendable {
    let changes: [FileTree.EntryChange]
    /// The directories that must be synced before it is durable.
    var unsynced: Set<FileTree.NodeID>
    /// Whether a sync of one of them failed, after which none says anything about this step.
    var isDoubtful = false

    var slots: [Slot] { changes.map { Slot(directory: $0.directory, name: $0.name) } }
  }

  /// The place of an entry.
  struct Slot: Hashable {
    let directory: FileTree.NodeID
    let name: [UInt8]
  }

  /// The bytes that all files together may have.
  var capacity = Int64.max
  /// What the disk shows.
  private(set) var tree: FileTree
  /// The files of which not all is durable.
  private(set) var histories: [FileTree.NodeID: SimulatedFileHistory] = [:]
  /// The durable entries of each directory that has any.
  private(set) var entries: [FileTree.NodeID: [[UInt8]: FileTree.NodeID]]
  /// The steps that are not durable yet, and those after them on the same entries.
  private(set) var steps: [EntryStep] = []

  /// An empty disk.
  init() { self.init(tree: FileTree(keepsDetached: true)) }

  /// A disk on which everything is durable.
  init(tree: FileTree) {
    self.tree = tree
    entries = tree.nodes.compactMapValues(\.entries)
  }
}

// MARK: - Handles and locks, which are nothing a crash leaves

extension SimulatedDisk {
  mutating func open(_ path: String, _ mode: FileMode, now: Int64) throws -> FileTree.Handle {
    let id: FileTree.NodeID
    switch mode {
    case .read, .readWrite: id = try tree.file(path, for: "open")
    case .directory: id = try tree.directory(path, for: "open")
    case .create:
      let (node, changes) = try tree.create(path, modified: now)
      apply(changes)
      id = node
    }
    return tree.open(id, path: path, mode: mode)
  }

  mutating func close(_ handle: FileTree.Handle) { tree.close(handle) }

  mutating func tryLock(_ handle: FileTree.Handle, _ kind: LockKind) throws -> Bool {
    try tree.tryLock(handle, kind)
  }

  mutating func unlock(_ handle: FileTree.Handle) throws { try tree.unlock(handle) }

  /// What is left when the process is killed: all but handles and locks.
  mutating func closeAll() { tree.closeAll() }
}

// MARK: - Bytes

extension SimulatedDisk {
  /// The bytes that can still be written.
  var freeByteCount: Int64 { max(0, capacity - tree.usedByteCount) }

  /// Writes the bytes as far as the disk has room.
  mutating func write(
    _ bytes: ArraySlice<UInt8>,
    _ handle: FileTree.Handle,
    at offset: Int64,
    now: Int64
  ) throws {
    let (id, range) = try tree.target(of: handle, at: offset, count: bytes.count)
    let oldCount = tree.node(id).bytes.count
    var fitting = bytes.count
    // Only a limited disk is worth adding up.
    if capacity < .max, range.upperBound > oldCount {
      let end = oldCount + Int(clamping: min(freeByteCount, Int64(range.upperBound - oldCount)))
      fitting = max(0, min(bytes.count, end - range.lowerBound))
    }
    change(id, in: range.lowerBound..<(range.lowerBound + fitting), now: now) {
      FileTree.write(bytes.prefix(fitting), at: range.lowerBound, into: &$0)
    }
    guard fitting == bytes.count else {
      throw FileError(.full, operation: "write", path: handle.path)
    }
  }

  mutating func truncate(_ handle: FileTree.Handle, to byteCount: Int64, now: Int64) throws {
    let (id, newCount) = try tree.newSize(of: handle, byteCount)
    let oldCount = tree.node(id).bytes.count
    guard newCount <= oldCount || freeByteCount >= Int64(newCount - oldCount) else {
      throw FileError(.full, operation: "truncate", path: handle.path)
    }
    change(id, in: min(newCount, oldCount)..<oldCount, now: now) {
      FileTree.resize(&$0, to: newCount)
    }
  }

  mutating func sync(_ handle: FileTree.Handle, fails: Bool) throws {
    let id = try tree.node(of: handle, .bytes, for: "sync")
    guard var history = histories.removeValue(forKey: id) else { return }
    if fails { history.failSync() } else { history.sync() }
    if !history.isSettled { histories[id] = history }
  }

  /// Puts bytes onto the disk as if they had always been there.
  mutating func overwrite(_ path: String, with bytes: [UInt8], now: Int64) throws {
    if try tree.info(path) == nil {
      try makeDirectories(FilePath.parent(of: path), now: now)
      applyDurably(try tree.create(path, modified: now).1)
    }
    let id = try tree.file(path, for: "setBytes")
    tree.change(id, modified: now) { $0 = bytes }
    histories[id] = nil
  }

  private mutating func makeDirectories(_ path: String, now: Int64) throws {
    guard try tree.info(path) == nil else { return }
    try makeDirectories(FilePath.parent(of: path), now: now)
    applyDurably(try tree.makeDirectory(path, modified: now))
  }

  /// Makes durable whatever the disk shows.
  mutating func makeDurable() {
    histories = [:]
    steps = []
    entries = tree.nodes.compactMapValues(\.entries)
    discardUnreachable()
  }

  private mutating func change(
    _ id: FileTree.NodeID,
    in range: Range<Int>,
    now: Int64,
    _ body: (inout [UInt8]) -> Void
  ) {
    var history =
      histories.removeValue(forKey: id)
      ?? SimulatedFileHistory(byteCount: tree.node(id).bytes.count)
    tree.change(id, modified: now) { history.change(&$0, in: range, body) }
    if !history.isSettled { histories[id] = history }
  }
}

// MARK: - Entries

extension SimulatedDisk {
  mutating func makeDirectory(_ path: String, now: Int64) throws {
    apply(try tree.makeDirectory(path, modified: now))
  }

  mutating func rename(_ path: String, to newPath: String) throws {
    apply(try tree.rename(path, to: newPath))
  }

  mutating func link(_ path: String, to newPath: String) throws {
    apply(try tree.link(path, to: newPath))
  }

  mutating func remove(_ path: String) throws { apply(try tree.remove(path)) }

  mutating func syncDirectory(_ path: String, fails: Bool) throws {
    let directory = try tree.directory(path, for: "syncDirectory")
    for index in steps.indices where steps[index].unsynced.contains(directory) {
      if fails {
        steps[index].isDoubtful = true
      } else if !steps[index].isDoubtful {
        steps[index].unsynced.remove(directory)
      }
    }
    settleSteps()
    discardUnreachable()
  }

  private mutating func apply(_ changes: [FileTree.EntryChange]) {
    guard !changes.isEmpty else { return }
    tree.apply(changes)
    steps.append(EntryStep(changes: changes, unsynced: Set(changes.map(\.directory))))
  }

  private mutating func applyDurably(_ changes: [FileTree.EntryChange]) {
    tree.apply(changes)
    steps.append(EntryStep(changes: changes, unsynced: []))
    settleSteps()
  }

  /// Takes durable steps out of the list, unless one before them on the same entry is not durable.
  private mutating func settleSteps() {
    var blocked: Set<Slot> = []
    var left: [EntryStep] = []
    for step in steps {
      if step.unsynced.isEmpty && blocked.isDisjoint(with: step.slots) {
        for change in step.changes {
          entries[change.directory, default: [:]][change.name] = change.node
        }
      } else {
        blocked.formUnion(step.slots)
        left.append(step)
      }
    }
    steps = left
  }

  /// Forgets files that no handle has open and no crash can bring back.
  private mutating func discardUnreachable() {
    let detached = tree.nodes.filter { $0.value.linkCount == 0 && $0.value.openCount == 0 }
    guard !detached.isEmpty else { return }
    var named = Set(entries.values.flatMap(\.values))
    for step in steps { named.formUnion(step.changes.compactMap(\.node)) }
    for id in detached.keys where !named.contains(id) {
      tree.discard(id)
      histories[id] = nil
      entries[id] = nil
    }
  }
}
