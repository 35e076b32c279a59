import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// The file systems that must behave alike.
enum DiskKind: String, CaseIterable, CustomTestStringConvertible {
  case system
  case memory
  case simulated

  var testDescription: String { rawValue }
}

/// An empty directory in one of them, gone with the value.
final class TestDisk {
  let files: any FileSystem
  let root: String
  private let temporary: URL?

  init(_ kind: DiskKind) throws {
    switch kind {
    case .system:
      let directory = FileManager.default.temporaryDirectory
        .appending(path: "OfflineSync-\(UUID().uuidString)", directoryHint: .notDirectory)
      temporary = directory
      root = directory.path()
      files = SystemFileSystem()
    case .memory:
      temporary = nil
      root = "/disk"
      files = MemoryFileSystem { 1_700_000_000_123 }
    case .simulated:
      temporary = nil
      root = "/disk"
      files = SimulatedFileSystem { 1_700_000_000_123 }
    }
    try files.makeDirectory(root)
  }

  deinit {
    if let temporary {
      do {
        try FileManager.default.removeItem(at: temporary)
      } catch {
        print("\(temporary.path()) could not be removed: \(error)")
      }
    }
  }

  /// The path of the name in the directory.
  func path(_ name: String) -> String { FilePath.join(root, name) }

  /// Makes a file of these bytes.
  func put(_ text: String, _ name: String) throws {
    let file = try files.open(path(name), .create)
    try file.write(Array(text.utf8), at: 0)
    try file.close()
  }

  /// What the file holds, as text.
  func text(_ name: String) throws -> String {
    String(decoding: try files.read(path(name)), as: UTF8.self)
  }
}

/// The kind of the file error that the body throws; nil: none.
func failure(_ body: () throws -> Void) throws -> FileError.Kind? {
  do {
    try body()
    return nil
  } catch let error as FileError {
    return error.kind
  }
}
