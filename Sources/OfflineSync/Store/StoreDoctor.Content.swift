extension StoreDoctor {
  /// What the files of attachments are, against the rows that verify.
  struct Content: Sendable {
    /// What is wrong with files that rows name, by path and reference.
    private(set) var damage: [JournalFinding] = []
    /// How many files have the bytes of their hash.
    private(set) var verifiedCount = 0
    /// The rows whose file is bad and can be let go, without it: no bytes are lost that only it had.
    private(set) var released: [AttachmentRow] = []
    /// The bad files that no other row waits to send, from the state directory on.
    private(set) var badPaths: [String] = []
    /// The files that no row names, from the state directory on.
    private(set) var strayPaths: [String] = []
    /// Findings for the files that no row names: where rows are lost, nobody knows whose they are.
    private(set) var strays: [JournalFinding] = []
    private let directory: StateDirectory

    /// Reads every file through that a row names.
    ///
    /// - Parameters:
    ///   - directory: Where the store lies.
    ///   - rows: The rows.
    ///   - places: Looks at no other files than these, named as in findings; nil: at all.
    /// - Throws: `FileError` of listing; `CancellationError`.
    init(_ directory: StateDirectory, _ rows: AttachmentTable, only places: Set<String>? = nil)
      throws
    {
      self.directory = directory
      for path in Set(rows.rows.compactMap { $0.file?.path }).sorted()
      where places?.contains(Self.place(of: path)) ?? true {
        try check(path, namedBy: rows.rows(using: path))
      }
      if places == nil { try findStrays(rows) }
    }
  }
}

extension StoreDoctor.Content {
  /// Where attachments lie, from the state directory on.
  private static func place(of path: String) -> String { FilePath.join("attachments", path) }

  private mutating func check(_ path: String, namedBy rows: [AttachmentRow]) throws {
    let place = Self.place(of: path)
    let byteCount = rows.compactMap(\.byteCount).first
    guard let fault = try fault(of: path, byteCount: byteCount) else {
      verifiedCount += 1
      return
    }
    for row in rows {
      let isReleased = !row.isUnconfirmed && fault.isCertain
      let end =
        isReleased
        ? "a repair lets it be downloaded again" : "a repair leaves it, as no server may have it"
      var finding = JournalFinding(
        place,
        at: 0,
        byteCount: fault.byteCount ?? 0,
        "\(fault.reason); \(end)"
      )
      finding.kind = JournalKind.attachment
      finding.token = row.reference
      damage.append(finding)
      guard isReleased else { continue }
      var row = row
      row.file = nil
      released.append(row)
    }
    if fault.byteCount != nil, fault.isCertain, !rows.contains(where: \.isUnconfirmed) {
      badPaths.append(place)
    }
  }

  /// What is wrong with a file.
  private struct Fault {
    var reason: String
    /// Its size; nil: there is none.
    var byteCount: Int64?
    /// Whether its bytes are known to be bad: not where they cannot be read for now.
    var isCertain = true
  }

  /// Compares a file's bytes with the hash that is its name; nil: they are good.
  private func fault(of path: String, byteCount: Int64?) throws -> Fault? {
    let full = FilePath.join(directory.path, Self.place(of: path))
    do {
      guard let info = try directory.files.info(full), info.kind == .file else {
        return Fault(reason: "the file is missing")
      }
      let file = try directory.files.open(full, .read)
      let hash = try ContentFolder.hash(of: file, upTo: info.byteCount)
      try file.close()
      if AttachmentPath.content(of: hash.hexDigest) == path { return nil }
      if let byteCount, info.byteCount != byteCount {
        let reason = "the file has \(info.byteCount) bytes and not \(byteCount)"
        return Fault(reason: reason, byteCount: info.byteCount)
      }
      return Fault(reason: "the bytes are not those of its hash", byteCount: info.byteCount)
    } catch let error as FileError where error.kind == .absent {
      return Fault(reason: "the file is missing")
    } catch let error as FileError {
      return Fault(reason: "the file cannot be read: \(error)", isCertain: false)
    }
  }

  private mutating func findStrays(_ rows: AttachmentTable) throws {
    let folder = FilePath.join(directory.path, Self.place(of: AttachmentPath.content))
    guard try directory.files.info(folder)?.kind == .directory else { return }
    for name in try directory.files.list(folder) {
      let path = FilePath.join(AttachmentPath.content, name)
      guard AttachmentPath.isContent(path), !rows.isUsed(path) else { continue }
      let place = Self.place(of: path)
      let info = try directory.files.info(FilePath.join(directory.path, place))
      guard info?.kind == .file else { continue }
      strayPaths.append(place)
      strays.append(
        JournalFinding(
          place,
          at: 0,
          byteCount: info?.byteCount ?? 0,
          "no row that verifies names this file; a repair moves it to its backup",
          isDamage: false
        )
      )
    }
  }
}

extension StoreDoctor.Content {
  /// Stores that the bad files which can be let go are no more here.
  ///
  /// - Throws: `SyncError` STORE_FULL, STORE.
  func release(in journal: inout Journal) throws {
    guard !released.isEmpty else { return }
    var lines = JournalTransaction()
    for row in released {
      lines.begin(JournalKind.attachment)
      lines.add(row.reference)
      lines.add(json: row.json)
      lines.end()
    }
    _ = try journal.commit(&lines)
  }

  /// Removes files that a backup has; findings for those that stay.
  func remove(_ paths: [String]) -> [JournalFinding] {
    var findings: [JournalFinding] = []
    var folders: Set<String> = []
    for path in paths {
      let full = FilePath.join(directory.path, path)
      do {
        try directory.files.remove(full)
        folders.insert(FilePath.parent(of: full))
      } catch {
        findings.append(Self.stays(path, error))
      }
    }
    for folder in folders.sorted() {
      do {
        try directory.files.syncDirectory(folder)
      } catch {
        findings.append(Self.stays("attachments/content", error))
      }
    }
    return findings
  }

  private static func stays(_ path: String, _ error: any Error) -> JournalFinding {
    let reason = "the backup has it, but it may still be here, too: \(error)"
    return JournalFinding(path, at: 0, byteCount: 0, reason, isDamage: false)
  }
}
