// The calls of ``FileSystem`` on paths. Those that change entries answer with what is to change, so that
// a disk with a memory can note it.
extension FileTree {
  /// The most bytes in a name, as on all common volumes.
  private static let nameLimit = 255

  /// Where a path leads.
  private struct Place {
    var directory: NodeID
    var name: [UInt8]
    var node: NodeID?
  }

  private func find(_ path: String, for operation: String) throws -> Place {
    func error(_ kind: FileError.Kind) -> FileError {
      FileError(kind, operation: operation, path: path)
    }
    guard !path.utf8.contains(0) else { throw error(.invalid) }
    var place = Place(directory: Self.root, name: [], node: Self.root)
    for name in FilePath.names(in: path) {
      guard let node = place.node else { throw error(.absent) }
      guard let entries = self.node(node).entries else { throw error(.notDirectory) }
      guard name.count <= Self.nameLimit else { throw error(.nameTooLong) }
      place = Place(directory: node, name: Array(name), node: entries[Array(name)])
    }
    return place
  }

  private func existing(_ path: String, for operation: String) throws -> (Place, NodeID) {
    let place = try find(path, for: operation)
    guard let node = place.node else {
      throw FileError(.absent, operation: operation, path: path)
    }
    return (place, node)
  }

  /// The directory at the path.
  package func directory(_ path: String, for operation: String) throws -> NodeID {
    let (_, id) = try existing(path, for: operation)
    guard node(id).isDirectory else {
      throw FileError(.notDirectory, operation: operation, path: path)
    }
    return id
  }

  /// The file at the path.
  package func file(_ path: String, for operation: String) throws -> NodeID {
    let (_, id) = try existing(path, for: operation)
    guard !node(id).isDirectory else {
      throw FileError(.isDirectory, operation: operation, path: path)
    }
    return id
  }

  /// The names in the directory, sorted by their bytes.
  package func list(_ path: String) throws -> [String] {
    let entries = node(try directory(path, for: "list")).entries ?? [:]
    return entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// What is at the path.
  package func info(_ path: String) throws -> FileInfo? {
    let id: NodeID
    do {
      (_, id) = try existing(path, for: "info")
    } catch let error as FileError where error.kind == .absent {
      return nil
    }
    let node = node(id)
    return FileInfo(
      kind: node.isDirectory ? .directory : .file,
      byteCount: Int64(node.bytes.count),
      modified: node.modified
    )
  }

  /// A new empty file at the path.
  package mutating func create(_ path: String, modified: Int64) throws -> (NodeID, [EntryChange]) {
    let place = try find(path, for: "open")
    guard place.node == nil else { throw FileError(.exists, operation: "open", path: path) }
    let id = add(Node(modified: modified))
    return (id, [EntryChange(directory: place.directory, name: place.name, node: id)])
  }

  /// A new directory at the path, unless there is one.
  package mutating func makeDirectory(_ path: String, modified: Int64) throws -> [EntryChange] {
    let place = try find(path, for: "makeDirectory")
    if let id = place.node {
      guard node(id).isDirectory else {
        throw FileError(.exists, operation: "makeDirectory", path: path)
      }
      return []
    }
    let id = add(Node(entries: [:], modified: modified))
    return [EntryChange(directory: place.directory, name: place.name, node: id)]
  }

  /// The entry moved; nothing changes if both paths name one file.
  package func rename(_ path: String, to newPath: String) throws -> [EntryChange] {
    func error(_ kind: FileError.Kind) -> FileError {
      FileError(kind, operation: "rename", path: path)
    }
    let (from, id) = try existing(path, for: "rename")
    let to = try find(newPath, for: "rename")
    guard id != Self.root, to.node != Self.root else { throw error(.invalid) }
    guard to.node != id else { return [] }
    if node(id).isDirectory {
      guard !holds(id, to.directory) else { throw error(.invalid) }
      if let target = to.node {
        guard let entries = node(target).entries else { throw error(.notDirectory) }
        guard entries.isEmpty else { throw error(.notEmpty) }
      }
    } else if let target = to.node, node(target).isDirectory {
      throw error(.isDirectory)
    }
    return [
      EntryChange(directory: to.directory, name: to.name, node: id),
      EntryChange(directory: from.directory, name: from.name, node: nil),
    ]
  }

  /// A second entry for the file.
  package func link(_ path: String, to newPath: String) throws -> [EntryChange] {
    let id = try file(path, for: "link")
    let place = try find(newPath, for: "link")
    guard place.node == nil else { throw FileError(.exists, operation: "link", path: newPath) }
    return [EntryChange(directory: place.directory, name: place.name, node: id)]
  }

  /// The file's entry taken away.
  package func remove(_ path: String) throws -> [EntryChange] {
    let (place, id) = try existing(path, for: "remove")
    guard !node(id).isDirectory else {
      throw FileError(.isDirectory, operation: "remove", path: path)
    }
    return [EntryChange(directory: place.directory, name: place.name, node: nil)]
  }

  /// Whether the directory is, or lies somewhere in, the other.
  private func holds(_ outer: NodeID, _ inner: NodeID) -> Bool {
    outer == inner
      || node(outer).entries?.values.contains { node($0).isDirectory && holds($0, inner) } == true
  }
}
