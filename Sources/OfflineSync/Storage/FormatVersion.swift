/// Which versions of the format a file asks for: in FORMAT.json and in each journal's header.
struct FormatVersion: Sendable, Equatable {
  /// The version that wrote the file; an older library must not write to it.
  var version: Int64
  /// The oldest version that understands the file.
  var minimumReader: Int64

  /// What this library writes.
  static let current = FormatVersion(
    version: Int64(JournalFormat.version),
    minimumReader: Int64(JournalFormat.version)
  )

  /// The versions as written.
  init(version: Int64, minimumReader: Int64) {
    self.version = version
    self.minimumReader = minimumReader
  }

  /// Reads the members `format`, `version` and `minimumReader`.
  ///
  /// - Throws: ``JournalLineError``.
  init(_ json: JSON) throws {
    guard json["format"]?.string == JournalFormat.name else {
      throw JournalLineError("the format is not \(JournalFormat.name)")
    }
    guard let version = json["version"]?.int64, let minimumReader = json["minimumReader"]?.int64,
      version > 0, minimumReader > 0
    else { throw JournalLineError("no version or minimumReader") }
    self.init(version: version, minimumReader: minimumReader)
  }

  /// The members `format`, `version` and `minimumReader`.
  var members: JSON.Object {
    [
      "format": .string(JournalFormat.name), "version": .int64(version),
      "minimumReader": .int64(minimumReader),
    ]
  }

  /// STORE_TOO_NEW unless this library understands the file and, to write it, knows all of it.
  func check(for access: Journal.Access, path: String) throws {
    let needed = access == .writer ? version : minimumReader
    guard needed > JournalFormat.version else { return }
    throw SyncError(
      .storeTooNew,
      "\(path) has format \(needed), and this library knows \(JournalFormat.version)"
    )
  }
}
