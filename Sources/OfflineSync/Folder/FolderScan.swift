/// One pass over a collection's folder, which finds what a fetch has to send.
///
/// That is: records newer than `maxTimeStamp`; records of any date that the store does not hold as
/// they are here; deletions of records that it holds. Dates order the pages; alone they decide
/// nothing, because a file may arrive late, be edited by hand without a new date, or come from a
/// machine whose clock is wrong.
package struct FolderScan {
  /// How many records the store is asked about at once; so many bodies are in memory at most.
  private static let batchCount = 500

  private let collection: FolderCollection
  private let maxTimeStamp: Int64
  /// Records that are our own creates: the push that asks about them tells the store.
  private let own: Set<RecordID>
  /// Which of these bodies differ from the newest server copy that the store holds.
  private let differ: ([(id: RecordID, record: Record)]) async throws -> [Bool]
  /// Of which of these records the store holds a server copy.
  private let held: ([RecordID]) async throws -> [Bool]

  private struct Tombstone {
    let date: Int64?
    let name: String
  }

  private var names: Set<String> = []
  /// The records found under another name than the written one.
  private var otherwiseNamed: Set<RecordID> = []
  private var tombstones: [RecordID: Tombstone] = [:]
  /// Read, but not yet known to be news.
  private var batch: [(entry: FolderEntry, record: Record)] = []
  private var entries: [FolderEntry] = []

  package init(
    _ collection: FolderCollection,
    newerThan maxTimeStamp: Int64,
    except own: Set<RecordID> = [],
    differ: @escaping ([(id: RecordID, record: Record)]) async throws -> [Bool],
    held: @escaping ([RecordID]) async throws -> [Bool]
  ) {
    self.collection = collection
    self.maxTimeStamp = maxTimeStamp
    self.own = own
    self.differ = differ
    self.held = held
  }

  /// What is to be sent, in order of date and id.
  package mutating func run() async throws -> [FolderEntry] {
    let listed = try collection.names()
    for name in try collection.tombstones() {
      try Task.checkCancellation()
      readTombstone(name)
    }
    names = Set(listed)
    for name in listed {
      try Task.checkCancellation()
      readRecord(name)
      if batch.count == Self.batchCount { try await compareBatch() }
    }
    try await compareBatch()
    try await addTombstones()
    entries.sort()
    return entries
  }

  private mutating func readTombstone(_ name: String) {
    switch collection.read(name) {
    case .absent: return
    case .unusable: add(.unusable, name)
    case .record(_, let id, let date):
      if let other = tombstones[id], !Self.isLater(date, than: other.date) { return }
      tombstones[id] = Tombstone(date: date, name: name)
    }
  }

  private mutating func readRecord(_ name: String) {
    switch collection.read(name) {
    case .absent: return
    case .unusable:
      add(.unusable, name)
      // It may be the record that outlived its deletion.
      if let id = FolderName.id(ofFile: name) { tombstones[id] = nil }
    case .record(let record, let id, let date):
      guard isFirst(name, of: id) else { return add(.copy, name) }
      if own.contains(id) { return }
      if let tombstone = tombstones[id] {
        if collection.isDeletion(at: tombstone.date, of: date) { return }
        if collection.isFarAhead(tombstone.date, of: date) { add(.farTombstone, tombstone.name) }
        tombstones[id] = nil
      }
      let entry = FolderEntry(kind: .record, date: date, id: id, name: name)
      if let date, date > maxTimeStamp {
        entries.append(entry)
      } else {
        batch.append((entry, record))
      }
    }
  }

  /// Whether this file is the one that counts of those whose names stand for the id: the one with the
  /// written name, without such a one the first.
  private mutating func isFirst(_ name: String, of id: RecordID) -> Bool {
    let written = FolderName.file(of: id)
    return name == written || !names.contains(written) && otherwiseNamed.insert(id).inserted
  }

  private mutating func add(_ kind: FolderEntry.Kind, _ name: String) {
    entries.append(FolderEntry(kind: kind, date: nil, id: RecordID(name), name: name))
  }

  /// Keeps of the read records those that the store does not hold as they are here.
  private mutating func compareBatch() async throws {
    guard !batch.isEmpty else { return }
    let differing = try await differ(batch.map { (id: $0.entry.id, record: $0.record) })
    for (read, isDifferent) in zip(batch, differing) where isDifferent {
      entries.append(read.entry)
    }
    batch.removeAll(keepingCapacity: true)
  }

  /// Keeps of the tombstones those of records that the store still holds.
  private mutating func addTombstones() async throws {
    let found = tombstones.map { id, tombstone in
      FolderEntry(kind: .tombstone, date: tombstone.date, id: id, name: tombstone.name)
    }.sorted()
    for start in stride(from: 0, to: found.count, by: Self.batchCount) {
      let slice = found[start..<min(start + Self.batchCount, found.count)]
      let isHeld = try await held(slice.map(\.id))
      entries += zip(slice, isHeld).filter(\.1).map(\.0)
    }
  }

  /// Whether the first date is known and after the second; without a date nothing is later.
  private static func isLater(_ date: Int64?, than other: Int64?) -> Bool {
    guard let date, let other else { return false }
    return date > other
  }
}
