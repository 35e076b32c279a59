import OfflineSync
import Testing

/// The lines of a journal as texts, one transaction after another; what tests compare.
struct Transcript: JournalVisitor, Equatable {
  /// The transactions whose commit line was seen, the state first.
  private(set) var transactions: [[String]] = []
  /// Lines behind the last commit line.
  private(set) var pending: [String] = []
  /// How often everything was read anew.
  private(set) var resetCount = 0
  /// The places of the lines, by their text without CRC and length.
  private(set) var places: [String: JournalLine] = [:]

  mutating func reset() {
    self = Transcript(resetCount: resetCount + 1)
  }

  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
    switch JournalFields.kind(of: line) {
    case JournalKind.header: return
    case JournalKind.commit:
      transactions.append(pending)
      pending = []
    default:
      var bytes: [UInt8] = []
      for index in 20..<line.count { bytes.append(line[index]) }
      let text = String(decoding: bytes, as: UTF8.self)
      pending.append(text)
      places[text] = place
    }
  }

  init() {}

  private init(resetCount: Int) { self.resetCount = resetCount }

  static func == (left: Self, right: Self) -> Bool {
    left.transactions == right.transactions && left.pending == right.pending
  }

  /// All lines, with those whose commit line is lost.
  var flat: [String] { lines + pending }

  /// All lines of committed transactions.
  var lines: [String] { transactions.flatMap { $0 } }
}

/// A store's directory in some file system, and the calls that tests repeat.
struct TestJournal {
  let directory: StateDirectory

  init(_ files: any FileSystem = MemoryFileSystem(now: { 0 }), at path: String = "/state") {
    directory = StateDirectory(path, files: files)
  }

  /// A store in memory whose journal holds these bytes.
  init(journal bytes: [UInt8]) throws {
    self.init()
    try make([])
    try write(bytes)
  }

  var files: any FileSystem { directory.files }

  /// Opens or makes the store; the lock is held by the second result.
  func open(
    _ transcript: inout Transcript,
    store: String = "store-1"
  ) throws -> (journal: Journal, lock: StateLock) {
    let lock = try #require(try directory.acquireLock(processID: 7))
    let journal = try Journal.open(directory, makeStoreID: { store }, visitor: &transcript)
    return (journal, lock)
  }

  /// Opens the store, and gives it back at once.
  func transcript() throws -> Transcript {
    var transcript = Transcript()
    let (journal, lock) = try open(&transcript)
    try close(journal, lock)
    return transcript
  }

  func close(_ journal: Journal, _ lock: StateLock) throws {
    var journal = journal
    try journal.close()
    try lock.release()
  }

  /// Makes a store of these transactions; the texts are the lines' bodies.
  func make(_ transactions: [[String]]) throws {
    var transcript = Transcript()
    var (journal, lock) = try open(&transcript)
    for transaction in transactions { _ = try journal.commit(transaction) }
    try close(journal, lock)
  }

  func bytes(ofGeneration generation: Int = 1) throws -> [UInt8] {
    try files.read(directory.journalPath(generation))
  }

  /// Puts other bytes in the place of a file.
  func write(_ bytes: [UInt8], to path: String) throws {
    let file = try files.openAnew(path)
    try file.write(bytes, at: 0)
    try file.close()
  }

  /// Puts other bytes in the place of a journal.
  func write(_ bytes: [UInt8], generation: Int = 1) throws {
    try write(bytes, to: directory.journalPath(generation))
  }
}

extension Journal {
  /// Commits a line of kind `r` for each body.
  mutating func commit(_ bodies: [String]) throws -> Int64 {
    var transaction = JournalTransaction(bodies: bodies)
    return try commit(&transaction)
  }

  /// Writes the lines into the next generation in one stretch.
  mutating func compactAtOnce(_ lines: [JournalLine]) throws -> JournalRelocation? {
    guard try beginCompaction(liveByteCount: 0) else { return nil }
    try compact(copying: lines)
    return try finishCompaction()
  }
}

extension JournalTransaction {
  /// A transaction with a line of kind `r` for each body.
  init(bodies: [String]) {
    self.init()
    for body in bodies {
      begin(JournalKind.record)
      add(1)
      add(raw: Array(body.utf8)[...])
      end()
    }
  }
}

/// The line that a body gives, as a transcript has it.
func line(_ body: String) -> String { #""r",1,\#(body)]"# }

/// The lines that bodies give.
func lines(_ bodies: [String]) -> [String] { bodies.map(line) }
