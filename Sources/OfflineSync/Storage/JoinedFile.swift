/// Stretches of files, read as one file; nothing can be written to it.
final class JoinedFile: File {
  /// A part of a file.
  struct Stretch: Sendable {
    let file: any File
    let range: Range<Int64>
    var byteCount: Int64 { range.upperBound - range.lowerBound }
  }

  private let stretches: [Stretch]
  private let path: String

  /// Joins the stretches, in their order; `path` names them in errors.
  init(_ stretches: [Stretch], path: String) {
    self.stretches = stretches
    self.path = path
  }

  func read(at offset: Int64, count: Int) throws -> [UInt8] {
    let total = try byteCount()
    guard offset < total else { return [] }
    let end = offset + min(Int64(count), total - offset)
    var bytes: [UInt8] = []
    var start: Int64 = 0
    for stretch in stretches {
      let from = max(offset, start)
      let to = min(end, start + stretch.byteCount)
      if from < to {
        let position = stretch.range.lowerBound + from - start
        let part = try stretch.file.read(at: position, count: Int(to - from))
        bytes += part
        // A file that has become shorter ends here.
        if Int64(part.count) < to - from { return bytes }
      }
      start += stretch.byteCount
    }
    return bytes
  }

  func byteCount() throws -> Int64 { stretches.reduce(0) { $0 + $1.byteCount } }

  func write(_ bytes: [UInt8], at offset: Int64) throws { throw refusal("write") }

  func truncate(to byteCount: Int64) throws { throw refusal("truncate") }

  func sync() throws { throw refusal("sync") }

  func identity() throws -> FileIdentity { throw refusal("identity") }

  func tryLock(_ kind: LockKind) throws -> Bool { throw refusal("tryLock") }

  func unlock() throws { throw refusal("unlock") }

  func close() throws {
    for stretch in stretches { try stretch.file.close() }
  }

  private func refusal(_ operation: String) -> FileError {
    FileError(.badHandle, operation: operation, path: path)
  }
}
