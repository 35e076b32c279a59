// The content of files as ``File`` treats it.
extension FileTree {
  /// The bytes from the offset on.
  package func read(_ handle: Handle, at offset: Int64, count: Int) throws -> [UInt8] {
    let bytes = node(try node(of: handle, .bytes, for: "read")).bytes
    guard offset >= 0, count >= 0 else {
      throw FileError(.invalid, operation: "read", path: handle.path)
    }
    let start = min(Int(clamping: offset), bytes.count)
    return Array(bytes[start..<(start + min(count, bytes.count - start))])
  }

  /// The size.
  package func byteCount(_ handle: Handle) throws -> Int64 {
    Int64(node(try node(of: handle, .bytes, for: "byteCount")).bytes.count)
  }

  /// The node and the range that a write covers; throws `full` if it ends beyond any disk.
  package func target(
    of handle: Handle,
    at offset: Int64,
    count: Int
  ) throws -> (NodeID, Range<Int>) {
    let id = try node(of: handle, .writing, for: "write")
    guard offset >= 0 else { throw FileError(.invalid, operation: "write", path: handle.path) }
    let (end, overflow) = Int(clamping: offset).addingReportingOverflow(count)
    guard !overflow else { throw FileError(.full, operation: "write", path: handle.path) }
    return (id, Int(clamping: offset)..<end)
  }

  /// The node and the size it is to have.
  package func newSize(of handle: Handle, _ byteCount: Int64) throws -> (NodeID, Int) {
    let id = try node(of: handle, .writing, for: "truncate")
    guard byteCount >= 0 else {
      throw FileError(.invalid, operation: "truncate", path: handle.path)
    }
    return (id, Int(clamping: byteCount))
  }

  /// Puts the bytes at the offset, zeros into a gap before them.
  package static func write(_ new: ArraySlice<UInt8>, at offset: Int, into bytes: inout [UInt8]) {
    guard !new.isEmpty else { return }
    resize(&bytes, to: max(bytes.count, offset))
    let overlap = min(new.count, bytes.count - offset)
    bytes.replaceSubrange(offset..<(offset + overlap), with: new)
  }

  /// Cuts the bytes, or lengthens them with zeros.
  package static func resize(_ bytes: inout [UInt8], to count: Int) {
    if count < bytes.count {
      bytes.removeSubrange(count...)
    } else if count > bytes.count {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
  }
}
