import OfflineSync

/// A file that bytes are appended to and synced: nothing durable can be quicker.
struct RawFile {
  private let file: any File
  private var end: Int64 = 0

  /// Makes the file.
  init(at path: String) throws {
    file = try SystemFileSystem().open(path, .create)
  }

  /// Appends bytes, syncs, and answers how many seconds that took.
  mutating func append(_ bytes: [UInt8]) throws -> Double {
    let start = ContinuousClock.now
    try file.write(bytes, at: end)
    try file.sync()
    let end = ContinuousClock.now
    self.end += Int64(bytes.count)
    return (end - start).seconds
  }
}
