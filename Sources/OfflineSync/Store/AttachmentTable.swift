/// The attachment rows in memory, with what finds one without looking at all.
package struct AttachmentTable: Sendable {
  /// A row and its line.
  private struct Entry: Sendable {
    var row: AttachmentRow
    var line: JournalLine
  }

  /// Who uses a local file.
  fileprivate struct Use: Sendable {
    var rows: Set<ByteText> = []
    /// How many of them are `synced`: if all are, the file is no more than a cache.
    var syncedCount = 0
    var byteCount: Int64 = 0
  }

  private var entries: [ByteText: Entry] = [:]
  private var uses: [ByteText: Use] = [:]
  private var uploads: Set<ByteText> = []
  private var claimed: Set<ByteText> = []
  private var touched: [(reference: String, before: AttachmentRow?)] = []

  /// Files that no row uses any more, since the last call of `takeReleased`.
  private var released: [String] = []
  /// The bytes of all files that are no more than a cache.
  package private(set) var cachedByteCount: Int64 = 0
  /// The fields that hold references, as the store remembers them.
  package private(set) var columns: [AttachmentColumn] = []
  private var columnsLine: JournalLine?
  /// Whether changes are kept for `takeTouched` and `takeReleased`.
  package var isTracking = false

  /// The reference of the line that remembers the columns; no attachment has it.
  package static let columnsReference = ""

  /// No rows.
  package init() {}

  /// How many rows there are.
  package var count: Int { entries.count }

  /// The row of a reference.
  package subscript(reference: String) -> AttachmentRow? { entries[ByteText(reference)]?.row }

  /// All rows, by reference.
  package var rows: [AttachmentRow] {
    entries.keys.sorted().compactMap { entries[$0]?.row }
  }

  /// The rows whose bytes are to go up, in the order of the queue.
  package var uploadCandidates: [AttachmentRow] {
    uploads.compactMap { entries[$0]?.row }.sorted(by: AttachmentRow.isBefore)
  }

  /// The rows that a transfer holds, by reference.
  package var claimedRows: [AttachmentRow] {
    claimed.sorted().compactMap { entries[$0]?.row }
  }

  /// The rows that use a file, by reference.
  package func rows(using path: String) -> [AttachmentRow] {
    (uses[ByteText(path)]?.rows ?? []).sorted().compactMap { entries[$0]?.row }
  }

  /// Whether a row uses a file.
  package func isUsed(_ path: String) -> Bool { uses[ByteText(path)] != nil }

  /// A file that is no more than a cache.
  package struct CachedFile: Sendable, Equatable {
    /// Where it lies.
    package let path: String
    /// Its size.
    package let byteCount: Int64
    /// When one of its rows was last used.
    package let usedAt: Int64
  }

  /// The files that are no more than a cache, those longest unused first.
  package func cachedFiles(usedAt: (AttachmentRow) -> Int64) -> [CachedFile] {
    var files: [CachedFile] = []
    for (path, use) in uses where use.cachedByteCount > 0 {
      let last = use.rows.compactMap { entries[$0].map { usedAt($0.row) } }.max() ?? 0
      files.append(CachedFile(path: path.string, byteCount: use.byteCount, usedAt: last))
    }
    return files.sorted { left, right in
      left.usedAt == right.usedAt ? left.path < right.path : left.usedAt < right.usedAt
    }
  }

  // MARK: - Lines

  /// Every line that is needed to read the rows again.
  package var lines: [JournalLine] {
    (entries.values.map(\.line) + (columnsLine.map { [$0] } ?? []))
      .sorted { $0.offset < $1.offset }
  }

  /// Takes a line; the change of the size of all live lines.
  package mutating func visit(
    _ reference: String,
    _ body: JSON,
    _ line: JournalLine
  ) throws -> Int64 {
    guard reference != Self.columnsReference else {
      defer { columnsLine = line }
      columns = AttachmentColumn.list(in: body)
      return Int64(line.byteCount - (columnsLine?.byteCount ?? 0))
    }
    let key = ByteText(reference)
    let before = entries[key]
    let row = body == .null ? nil : try AttachmentRow(json: body, reference: reference)
    put(row, line, at: key)
    if isTracking { touched.append((reference, before?.row)) }
    return Int64((row == nil ? 0 : line.byteCount) - (before?.line.byteCount ?? 0))
  }

  /// Moves every line.
  package mutating func changeLines(_ change: (inout JournalLine) throws -> Void) rethrows {
    for key in entries.keys.sorted() {
      guard var line = entries[key]?.line else { continue }
      try change(&line)
      entries[key]?.line = line
    }
    if var line = columnsLine {
      try change(&line)
      columnsLine = line
    }
  }

  // MARK: - What changed

  /// The rows that changed since the last call, each with what it was; a row may come twice.
  package mutating func takeTouched() -> [(reference: String, before: AttachmentRow?)] {
    defer { touched = [] }
    return touched
  }

  /// The files that lost their last row since the last call and are not used again.
  package mutating func takeReleased() -> [String] {
    defer { released = [] }
    var seen: Set<ByteText> = []
    return released.filter { !isUsed($0) && seen.insert(ByteText($0)).inserted }
  }

  private mutating func put(_ row: AttachmentRow?, _ line: JournalLine, at key: ByteText) {
    if let old = entries[key]?.row { withdraw(old, key) }
    entries[key] = row.map { Entry(row: $0, line: line) }
    uploads.remove(key)
    claimed.remove(key)
    guard let row else { return }
    if row.isUploadCandidate { uploads.insert(key) }
    if row.claim != nil { claimed.insert(key) }
    guard let path = row.file.map({ ByteText($0.path) }) else { return }
    changeUse(of: path) { use in
      use.rows.insert(key)
      if row.state == .synced { use.syncedCount += 1 }
      use.byteCount = max(use.byteCount, row.byteCount ?? 0)
    }
  }

  private mutating func withdraw(_ row: AttachmentRow, _ key: ByteText) {
    guard let path = row.file.map({ ByteText($0.path) }) else { return }
    changeUse(of: path) { use in
      use.rows.remove(key)
      if row.state == .synced { use.syncedCount -= 1 }
    }
  }

  private mutating func changeUse(of path: ByteText, _ change: (inout Use) -> Void) {
    var use = uses[path] ?? Use()
    cachedByteCount -= use.cachedByteCount
    change(&use)
    cachedByteCount += use.cachedByteCount
    uses[path] = use.rows.isEmpty ? nil : use
    if use.rows.isEmpty, isTracking { released.append(path.string) }
  }
}

extension AttachmentTable.Use {
  fileprivate var cachedByteCount: Int64 {
    !rows.isEmpty && rows.count == syncedCount ? byteCount : 0
  }
}
