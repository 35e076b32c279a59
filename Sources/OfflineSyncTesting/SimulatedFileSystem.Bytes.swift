import OfflineSync

// What lies on the disk, read and damaged behind the back of those who use it. Nothing here is an
// operation, and all of it works on a crashed disk too.
extension SimulatedFileSystem {
  /// The paths of all files, sorted by their bytes.
  public var filePaths: [String] {
    inspect { disk in
      var paths: [String] = []
      var unread = [(path: "", directory: FileTree.root)]
      while let (path, directory) = unread.popLast() {
        for (name, id) in disk.tree.node(directory).entries ?? [:] {
          let path = path + "/" + String(decoding: name, as: UTF8.self)
          if disk.tree.node(id).isDirectory {
            unread.append((path, id))
          } else {
            paths.append(path)
          }
        }
      }
      return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  /// The bytes of a file.
  ///
  /// - Parameter path: Its path.
  /// - Returns: The bytes as the disk shows them, durable or not.
  /// - Throws: An error if no file is there.
  public func bytes(of path: String) throws -> [UInt8] {
    try inspect { disk in disk.tree.node(try disk.tree.file(path, for: "bytes")).bytes }
  }

  /// Puts other bytes into a file, durably.
  ///
  /// - Parameters:
  ///   - path: The path of a file; a missing one is made, with the directories above it.
  ///   - bytes: What it is to hold.
  /// - Throws: An error if a directory is there, or a file is where a directory must be.
  public func setBytes(of path: String, to bytes: [UInt8]) throws {
    let now = now()
    try inspect { try $0.overwrite(path, with: bytes, now: now) }
  }

  /// Flips one bit of a file, durably.
  ///
  /// - Parameters:
  ///   - bit: Which bit: eight times the offset of the byte, and the bit's value in it as a power of two.
  ///   - path: The file's path.
  /// - Throws: An error if no file is there.
  public func flipBit(_ bit: Int, of path: String) throws {
    var bytes = try bytes(of: path)
    precondition(bytes.indices.contains(bit / 8), "the file has no bit \(bit)")
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    try setBytes(of: path, to: bytes)
  }

  /// Cuts a file, durably.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - byteCount: How many bytes are left of it; no more than there are.
  /// - Throws: An error if no file is there.
  public func cut(_ path: String, to byteCount: Int) throws {
    try setBytes(of: path, to: Array(bytes(of: path).prefix(byteCount)))
  }

  /// Makes all that the disk shows durable.
  public func makeDurable() { inspect { $0.makeDurable() } }
}
