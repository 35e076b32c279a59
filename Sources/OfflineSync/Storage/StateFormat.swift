/// What FORMAT.json says: that the folder is a store, in which format, and which store.
struct StateFormat: Sendable, Equatable {
  /// The versions of the format that the store asks for.
  var version = FormatVersion.current
  /// The store's own id, which its journals name too.
  var store: String

  /// A store of this version.
  init(store: String) { self.store = store }

  /// The file's bytes.
  var bytes: [UInt8] {
    var object = version.members
    object["store"] = .string(store)
    return Array((JSON.object(object).text + "\n").utf8)
  }
}

extension StateDirectory {
  /// What FORMAT.json says.
  ///
  /// - Throws: `FileError`; `SyncError` STORE_CORRUPT, STORE_TOO_NEW.
  func format(for access: Journal.Access) throws -> StateFormat {
    let bytes = try files.read(formatPath)
    do {
      let json: JSON
      do { json = try JSON(parsing: bytes) } catch { throw JournalLineError("\(error)") }
      // The version decides how the rest is to be read.
      let version = try FormatVersion(json)
      try version.check(for: access, path: formatPath)
      guard let store = json["store"]?.string else { throw JournalLineError("no store") }
      var format = StateFormat(store: store)
      format.version = version
      return format
    } catch let error as JournalLineError {
      throw JournalFormat.corrupt(formatPath, at: 0, error.reason)
    }
  }
}
