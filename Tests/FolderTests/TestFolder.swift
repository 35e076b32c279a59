import OfflineSync

/// A folder remote in memory with one collection, `places`.
struct TestFolder {
  let files: any FileSystem
  let root = "/remote"

  /// The folder on a disk that has one already.
  init(on files: any FileSystem) { self.files = files }

  /// An empty folder, by default one where something was deleted before.
  init(
    _ files: any FileSystem = MemoryFileSystem { 1_700_000_000_123 },
    hasTombstones: Bool = true
  ) throws {
    self.files = files
    for path in [root, places] + (hasTombstones ? [places + "/.deleted"] : []) {
      try files.makeDirectory(path)
    }
  }

  var places: String { root + "/places" }

  func collection() throws -> FolderCollection {
    try FolderCollection(
      "places",
      below: root,
      files: files,
      idField: "Id",
      dateField: "lastModifiedDate"
    )
  }

  /// Writes a file below the collection's folder as it is given.
  func put(_ text: String, at name: String) throws {
    let path = places + "/" + name
    if try files.info(path) != nil { try files.remove(path) }
    let file = try files.open(path, .create)
    try file.write(Array(text.utf8), at: 0)
    try file.close()
  }

  /// The text of a file below the collection's folder; nil: it is not there.
  func text(at name: String) throws -> String? {
    let path = places + "/" + name
    guard try files.info(path) != nil else { return nil }
    return String(decoding: try files.read(path), as: UTF8.self)
  }

  /// The names below the collection's folder, hidden ones too.
  func names(in directory: String = "") throws -> [String] {
    try files.list(places + directory)
  }

  /// A target on the folder.
  var target: FolderTarget {
    var target = FolderTarget(URL(filePath: root), collection: "places")
    target.files = files
    return target
  }

  /// Writes a record as its own file.
  func put(_ id: RecordID, date: Int64, _ name: String = "") throws {
    try put(record(id, date: date, name).json, at: FolderName.file(of: id))
  }

  /// Writes the tombstone of a record.
  func bury(_ id: RecordID, date: Int64) throws {
    try put(record(id, date: date).json, at: ".deleted/" + FolderName.file(of: id))
  }

  /// What a fetch has to send to a store that holds these server copies.
  func entries(
    since maxTimeStamp: Int64 = -1,
    server: [RecordID: Record] = [:]
  ) async throws -> [FolderEntry] {
    var scan = FolderScan(
      try collection(),
      newerThan: maxTimeStamp,
      differ: { asked in asked.map { id, record in server[id] != record } },
      held: { asked in asked.map { server[$0] != nil } }
    )
    return try await scan.run()
  }

  /// The pages of a fetch from a store that holds these server copies.
  func pages(
    of size: Int = 100,
    since maxTimeStamp: Int64 = -1,
    server: [RecordID: Record] = [:]
  ) async throws -> [SyncPage] {
    var fetch = FolderFetch(
      try await entries(since: maxTimeStamp, server: server),
      of: try collection().hold()
    )
    var pages: [SyncPage] = []
    while let page = try fetch.nextPage(size: size) { pages.append(page) }
    return pages
  }
}

/// A record as the tests write it.
func record(_ id: RecordID, date: Int64, _ name: String = "") -> Record {
  ["Id": .string(id.text), "Name": .string(name), "lastModifiedDate": .int64(date)]
}

extension SyncPage {
  /// The ids of its records.
  var ids: [String] { records.compactMap { $0["Id"]?.string } }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
