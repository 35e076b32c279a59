/// Directories and files as values: what memory and the simulated disk have in common.
///
/// Paths are resolved as they are: no `.`, no `..`, no symbolic links.
package struct FileTree: Sendable {
  /// A file or directory, whatever its paths are.
  package typealias NodeID = Int

  /// A file, or a directory if it has entries.
  package struct Node: Sendable {
    /// The entries of a directory by the bytes of their names: names that look equal may differ.
    package var entries: [[UInt8]: NodeID]?
    /// The content of a file.
    package var bytes: [UInt8] = []
    /// When it was changed, in milliseconds since 1970.
    package var modified: Int64 = 0
    /// How many entries name it.
    package var linkCount = 0
    /// How many handles are open.
    package var openCount = 0
    /// Which handles hold its lock.
    package var locks: [Int: LockKind] = [:]

    package var isDirectory: Bool { entries != nil }

    /// A directory with these entries, or without any a file.
    package init(
      entries: [[UInt8]: NodeID]? = nil,
      bytes: [UInt8] = [],
      modified: Int64 = 0,
      linkCount: Int = 0
    ) {
      self.entries = entries
      self.bytes = bytes
      self.modified = modified
      self.linkCount = linkCount
    }
  }

  /// One entry of a directory set anew, or taken away.
  package struct EntryChange: Sendable, Hashable {
    package let directory: NodeID
    package let name: [UInt8]
    /// Nil: no entry has the name any more.
    package let node: NodeID?
  }

  /// The directory that every path begins in.
  package static let root: NodeID = 0

  /// Every file and directory that an entry names or a handle has open.
  package private(set) var nodes: [NodeID: Node] = [Self.root: Node(entries: [:], linkCount: 1)]
  /// Whether files without path and handle are kept, because a crash may bring an entry back.
  private let keepsDetached: Bool
  private var handles: [Int: NodeID] = [:]
  private var lastNode = Self.root
  private var lastHandle = 0

  /// A tree with an empty root.
  package init(keepsDetached: Bool = false) { self.keepsDetached = keepsDetached }

  /// A tree of these directories, by their entries, and these files.
  package init(
    directories: [NodeID: [[UInt8]: NodeID]],
    files: [NodeID: Node],
    keepsDetached: Bool
  ) {
    self.keepsDetached = keepsDetached
    nodes = files.merging(directories.mapValues { Node(entries: $0) }) { $1 }
    for id in nodes.keys { nodes[id]?.linkCount = id == Self.root ? 1 : 0 }
    for id in directories.values.flatMap(\.values) { nodes[id]?.linkCount += 1 }
    lastNode = nodes.keys.max() ?? Self.root
  }

  /// The bytes of all files that can still be reached.
  package var usedByteCount: Int64 {
    nodes.values.reduce(0) { sum, node in
      node.linkCount > 0 || node.openCount > 0 ? sum + Int64(node.bytes.count) : sum
    }
  }
}

// MARK: - Nodes

extension FileTree {
  /// The node, which must exist.
  package func node(_ id: NodeID) -> Node {
    guard let node = nodes[id] else { preconditionFailure("node \(id) is not in the tree") }
    return node
  }

  /// Changes the content of a file.
  package mutating func change(
    _ id: NodeID,
    modified: Int64,
    _ body: (inout [UInt8]) -> Void
  ) {
    precondition(nodes[id] != nil, "node \(id) is not in the tree")
    body(&nodes[id, default: Node()].bytes)
    nodes[id]?.modified = modified
  }

  /// Makes a node that no entry names yet.
  package mutating func add(_ node: Node) -> NodeID {
    lastNode += 1
    nodes[lastNode] = node
    return lastNode
  }

  /// Sets and takes away entries, as one step.
  package mutating func apply(_ changes: [EntryChange]) {
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: EntryChange) {
    let old = nodes[change.directory]?.entries?[change.name]
    nodes[change.directory]?.entries?[change.name] = change.node
    if let node = change.node { nodes[node]?.linkCount += 1 }
    if let old {
      nodes[old]?.linkCount -= 1
      reclaim(old)
    }
  }

  /// Forgets a node that no entry names and no handle has open.
  package mutating func discard(_ id: NodeID) { nodes[id] = nil }

  private mutating func reclaim(_ id: NodeID) {
    guard !keepsDetached, let node = nodes[id], node.linkCount == 0, node.openCount == 0 else {
      return
    }
    nodes[id] = nil
  }
}

// MARK: - Handles

extension FileTree {
  /// One open file: what its owner holds of it.
  package struct Handle: Sendable {
    package let number: Int
    package let path: String
    package let mode: FileMode
  }

  /// What a call needs of the handle it is made on.
  package enum Need: Sendable {
    /// An open handle.
    case handle
    /// A file.
    case bytes
    /// A file opened for writing.
    case writing
  }

  /// Opens the node.
  package mutating func open(_ id: NodeID, path: String, mode: FileMode) -> Handle {
    lastHandle += 1
    handles[lastHandle] = id
    nodes[id]?.openCount += 1
    return Handle(number: lastHandle, path: path, mode: mode)
  }

  /// The node of an open handle that can serve the call.
  package func node(of handle: Handle, _ need: Need, for operation: String) throws -> NodeID {
    func error(_ kind: FileError.Kind) -> FileError {
      FileError(kind, operation: operation, path: handle.path)
    }
    guard let id = handles[handle.number] else { throw error(.badHandle) }
    if need != .handle && handle.mode == .directory { throw error(.isDirectory) }
    if need == .writing && handle.mode == .read { throw error(.badHandle) }
    return id
  }

  /// The identity of the handle's node.
  package func identity(of handle: Handle) throws -> FileIdentity {
    let id = try node(of: handle, .handle, for: "identity")
    return FileIdentity(volume: 0, number: UInt64(id))
  }

  /// Closes the handle and gives its lock back; good if it is closed.
  package mutating func close(_ handle: Handle) {
    guard let id = handles.removeValue(forKey: handle.number) else { return }
    nodes[id]?.locks[handle.number] = nil
    nodes[id]?.openCount -= 1
    reclaim(id)
  }

  /// Closes every handle.
  package mutating func closeAll() {
    for (number, id) in handles {
      nodes[id]?.locks[number] = nil
      nodes[id]?.openCount -= 1
      reclaim(id)
    }
    handles = [:]
  }

  /// Takes the lock of the handle's node if no other handle stands against it.
  package mutating func tryLock(_ handle: Handle, _ kind: LockKind) throws -> Bool {
    let id = try node(of: handle, .handle, for: "tryLock")
    // As with `flock`, an exchange gives the old lock back first.
    nodes[id]?.locks[handle.number] = nil
    let others = node(id).locks.values
    guard kind == .shared ? !others.contains(.exclusive) : others.isEmpty else { return false }
    nodes[id]?.locks[handle.number] = kind
    return true
  }

  /// Gives the lock back.
  package mutating func unlock(_ handle: Handle) throws {
    let id = try node(of: handle, .handle, for: "unlock")
    nodes[id]?.locks[handle.number] = nil
  }
}
