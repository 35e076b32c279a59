import OfflineSync
import Testing

/// Drafts of one collection over a journal: the store without its decisions.
struct DraftJournal {
  let directory: StateDirectory
  private(set) var state = StoreState()
  private(set) var journal: Journal
  private var transaction = JournalTransaction()

  init(_ files: any FileSystem, at path: String = "/state") throws {
    directory = StateDirectory(path, files: files)
    try files.makeDirectories(path)
    journal = try Journal.open(directory, makeStoreID: { "store" }, visitor: &state)
    transaction.begin(JournalKind.collection)
    transaction.add(Int64(1))
    transaction.add("contacts")
    transaction.add("Id")
    transaction.add("lastModifiedDate")
    transaction.end()
    try commit()
  }

  /// What is there, in order.
  var drafts: [RecordDraft] { get throws { try Self.drafts(of: state, journal) } }

  var ids: [RecordID] {
    let index = state[0].index
    return index.slots.filter { index[$0].isPresent }.map { index.id(at: $0) }
  }

  func draft(of id: RecordID) throws -> RecordDraft? {
    guard let slot = state[0].index.slot(of: id) else { return nil }
    return try RecordReader(collection: state[0], journal: journal).draft(at: slot)
  }

  mutating func write(_ after: RecordDraft, over before: RecordDraft?) {
    after.write(replacing: before, collection: 1, to: &transaction)
  }

  mutating func commit() throws {
    defer { transaction.removeAll() }
    guard !transaction.isEmpty else { return }
    let offset = try journal.commit(&transaction)
    try state.visit(transaction.bytes, at: offset)
  }

  /// The state and the drafts that the next opening finds.
  func reopened() throws -> (state: StoreState, drafts: [RecordDraft]) {
    var state = StoreState()
    let journal = try Journal.openReader(directory, visitor: &state)
    return (state, try Self.drafts(of: state, journal))
  }

  /// Compacts in slices of this size, with `work` between them.
  mutating func compact(
    byteCount: Int,
    between work: (inout DraftJournal) throws -> Void = { _ in }
  ) throws {
    state.prepareForCompaction(displacedBefore: 0)
    var compaction = try #require(try StoreCompaction(of: state, in: &journal))
    var relocation: JournalRelocation?
    while relocation == nil {
      try work(&self)
      relocation = try compaction.writeSlice(into: &journal, byteCount: byteCount)
    }
    try state.relocate(#require(relocation))
  }

  /// The size of the lines of the state that a compaction wrote, if nothing was committed since.
  func stateByteCount() throws -> Int64 {
    let bytes = try directory.files.read(directory.journalPath(journal.generation))
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return Int64(lines.dropFirst().dropLast().reduce(0) { $0 + $1.count + 1 })
  }

  private static func drafts(of state: StoreState, _ journal: Journal) throws -> [RecordDraft] {
    let reader = RecordReader(collection: state[0], journal: journal)
    let index = state[0].index
    return try index.slots.filter { index[$0].isPresent }.map { try reader.draft(at: $0) }
  }
}
