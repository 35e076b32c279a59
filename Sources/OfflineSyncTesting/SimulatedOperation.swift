/// One operation a ``SimulatedFileSystem`` was asked for.
public struct SimulatedOperation: Sendable, Hashable, CustomStringConvertible {
  /// Which operation in the order of calls, from 1 on.
  public let number: Int
  /// `open`, `create`, `list`, `makeDirectory`, `rename`, `link`, `remove`, `syncDirectory`, `info`,
  /// `freeByteCount`, `read`, `write`, `byteCount`, `truncate`, `sync` or `tryLock`.
  public let name: String
  /// The path it was for; of a renaming or a link the old one.
  public let path: String
  /// The new path, or offset and byte count.
  public let detail: String
  /// Whether it changes the disk or what is durable on it, so that a crash after it is worth a test.
  public var isChange: Bool { Self.changes.contains(name) }

  /// Number, name, path and detail.
  public var description: String {
    "\(number) \(name) \(path)" + (detail.isEmpty ? "" : " \(detail)")
  }

  private static let changes: Set<String> = [
    "create", "makeDirectory", "rename", "link", "remove", "syncDirectory", "write", "truncate",
    "sync",
  ]
}
