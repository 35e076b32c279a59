/// What the first line of a journal says.
package struct JournalHeader: Sendable, Equatable {
  /// The versions of the format that the file asks for.
  var version = FormatVersion.current
  /// The store that the file belongs to.
  package var store: String
  /// The number in the file's name.
  package var generation: Int
  /// The sequence of the first transaction.
  package var sequence: Int64

  /// A header of this version.
  init(store: String, generation: Int, sequence: Int64) {
    self.store = store
    self.generation = generation
    self.sequence = sequence
  }

  /// Reads the header of an open journal.
  ///
  /// - Parameters:
  ///   - file: The journal.
  ///   - path: Where it lies.
  ///   - access: What is asked of it.
  /// - Returns: The header, and its line with the newline.
  /// - Throws: `FileError`; `SyncError` STORE_CORRUPT, STORE_TOO_NEW.
  static func read(
    _ file: any File,
    path: String,
    for access: Journal.Access
  ) throws -> (header: JournalHeader, line: [UInt8]) {
    let bytes = try file.read(at: 0, count: maximumByteCount)
    guard bytes.count >= JournalFormat.claimByteCount,
      let byteCount = JournalFormat.claimedByteCount(bytes.span, at: 0), byteCount <= bytes.count,
      JournalFormat.isLine(bytes.span, at: 0, byteCount: byteCount)
    else { throw JournalFormat.corrupt(path, at: 0, "no header line") }
    let line = Array(bytes.prefix(byteCount))
    do {
      let json = try object(of: line.span.extracting(0..<byteCount - 1))
      // The version decides how the rest is to be read.
      try FormatVersion(json).check(for: access, path: path)
      return (try JournalHeader(json), line)
    } catch let error as JournalLineError {
      throw JournalFormat.corrupt(path, at: 0, error.reason)
    }
  }

  /// The line with its newline.
  var line: [UInt8] {
    var object = version.members
    object["store"] = .string(store)
    object["generation"] = .int64(Int64(generation))
    object["sequence"] = .int64(sequence)
    var line = JournalTransaction()
    line.begin(JournalKind.header)
    line.add(json: .object(object))
    line.end()
    return line.bytes
  }

  private static let maximumByteCount = 64 * 1024

  private static func object(of line: Span<UInt8>) throws -> JSON {
    guard JournalFields.kind(of: line) == JournalKind.header else {
      throw JournalLineError("no header line")
    }
    var bytes: [UInt8] = []
    for index in try JournalFields().body(in: line) { bytes.append(line[index]) }
    do { return try JSON(parsing: bytes) } catch { throw JournalLineError("\(error)") }
  }

  private init(_ json: JSON) throws {
    version = try FormatVersion(json)
    guard let store = json["store"]?.string, let generation = json["generation"]?.int64,
      let sequence = json["sequence"]?.int64, generation > 0,
      (0...JournalFields.highestCount).contains(sequence)
    else { throw JournalLineError("no store, generation or sequence") }
    self.store = store
    self.generation = Int(generation)
    self.sequence = sequence
  }
}
