/// Bytes that were verified once, as a file that may since have gone or changed.
package struct ContentFile: Sendable {
  private let files: any FileSystem
  private let path: String
  private let modified: Int64
  /// Its size.
  package let byteCount: Int64
  /// Where it lies on disk; nil in memory.
  package let url: URL?

  /// Names a file; nothing is looked at.
  package init(
    _ path: String,
    in files: any FileSystem,
    byteCount: Int64,
    modified: Int64
  ) {
    self.files = files
    self.path = path
    self.byteCount = byteCount
    self.modified = modified
    url = files is SystemFileSystem ? URL(filePath: path, directoryHint: .notDirectory) : nil
  }

  /// A part of its bytes.
  ///
  /// - Throws: `SyncError` STORE when the file is gone, cannot be read, or is not as it was verified.
  package func read(_ range: Range<Int64>) throws -> [UInt8] {
    guard try isUntouched() else { throw SyncError(.store, "\(path) has changed or is gone") }
    do {
      let file = try files.open(path, .read)
      let count = Int(range.upperBound - range.lowerBound)
      let bytes = try file.read(at: range.lowerBound, count: count)
      try file.close()
      guard bytes.count == count else {
        throw SyncError(.store, "\(path) has become shorter than \(range.upperBound) bytes")
      }
      return bytes
    } catch let error as FileError {
      throw error.syncError()
    }
  }

  /// Whether size and time are those of when it was verified.
  ///
  /// - Throws: `SyncError` STORE.
  package func isUntouched() throws -> Bool {
    do {
      guard let info = try files.info(path), info.kind == .file else { return false }
      return info.byteCount == byteCount && info.modified == modified
    } catch let error as FileError {
      throw error.syncError()
    }
  }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
