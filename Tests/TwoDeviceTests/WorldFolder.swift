import OfflineSync

/// The folder in memory, as the people see it who edit its files.
struct WorldFolder {
  let files = MemoryFileSystem { 0 }
  private let root = "/remote"
  private var path: String { root + "/places" }

  init() throws {
    for path in [root, path] { try files.makeDirectory(path) }
  }

  var target: FolderTarget {
    var target = FolderTarget(URL(filePath: root), collection: "places", pageSize: 3)
    target.files = files
    return target
  }

  /// The records by the names of their files.
  func records() throws -> [(name: String, record: Record)] {
    try files.list(path).filter(FolderName.isFile).map { name in
      (name, try Record(json: files.read(FilePath.join(path, name))))
    }
  }

  /// The file of a record, whatever its name is.
  func file(of id: RecordID) throws -> (name: String, record: Record)? {
    try records().first { FolderName.id(ofFile: $0.name) == id }
  }

  /// Writes a file as an editor does, white space and all.
  func write(_ record: Record, as name: String) throws {
    let file = try files.openAnew(FilePath.join(path, name))
    try file.write(Array("{\n  ".utf8) + record.bytes.dropFirst() + Array("\n".utf8), at: 0)
    try file.close()
  }

  /// Removes a file, and leaves no tombstone.
  func remove(_ name: String) throws { try files.remove(FilePath.join(path, name)) }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
