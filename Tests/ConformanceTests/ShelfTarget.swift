import OfflineSync
import OfflineSyncTesting
import Synchronization

/// What is wrong with a down target; without a fault it is right.
enum DownFault: String, Sendable, CaseIterable {
  case placeholder, losesLast, repeatsBorder, comparesDates, addsSecond, countsServerTime,
    byPosition
  case noOverlap, noDeletions, bringsDeleted, fewRemoteIDs, allRemoteIDs, checkpointAhead,
    emptyAfterExpiry
  case otherIDField, newIDs, otherDateField, datesStay, unsorted, wrongSize, throughDouble,
    dropsField
  case sharedPlace, failureIsEmpty, failureIsFinal, noRetryAfter, sessionIsNetwork,
    ignoresCancellation, neverEnds
}

/// A down target of a ``Shelf``, in order of date and id.
struct ShelfTarget: SyncDownTarget {
  static let pageSize = 2
  let shelf: Shelf
  var fault: DownFault?
  var since: Int64 = -1
  var place: Place?
  var tellsDeletions = true
  private(set) var totalSize: Int?
  private let shared = Shared()
  private var fetchCount = 0

  struct Place: Sendable, Equatable {
    var date: Int64
    var id: RecordID
    var position: Int
  }
  private final class Shared: Sendable { let place = Mutex<Place?>(nil) }

  init(_ shelf: Shelf, _ fault: DownFault? = nil) {
    self.shelf = shelf
    self.fault = fault
  }

  var idFieldName: String { fault == .otherIDField ? "Key" : "Id" }
  var modificationDateFieldName: String { fault == .otherDateField ? "City" : "lastModifiedDate" }
  var isSortedByModificationDate: Bool { true }

  mutating func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage?
  {
    since = fault == .addsSecond && maxTimeStamp >= 0 ? maxTimeStamp + 10_000 : maxTimeStamp
    place = nil
    shared.place.withLock { $0 = nil }
    fetchCount += 1
    let all = try await failing { try await load() }
    totalSize = all?.0.count { $0.date > since } ?? 0
    if fault == .wrongSize { totalSize = (totalSize ?? 0) + 1 }
    return try await continueFetch(syncManager: syncManager)
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    if fault == .sharedPlace { place = shared.place.withLock { $0 } }
    guard let (all, now) = try await failing({ try await load() }) else { return nil }
    var entries = all.filter { $0.date > since }
    if fault == .losesLast, entries.count > 1 { entries.removeLast() }
    if fault == .placeholder, entries.isEmpty, place == nil {
      place = Place(date: .max, id: "none", position: 1)
      return SyncPage([["Id": "none"]])
    }
    let rest = remaining(entries)
    guard !rest.isEmpty else { return nil }
    var page = Array(rest.prefix(Self.pageSize))
    if fault != .neverEnds, let last = page.last {
      place = Place(date: last.date, id: last.id, position: (place?.position ?? 0) + page.count)
    }
    if fault == .sharedPlace { shared.place.withLock { $0 = place } }
    if fault == .unsorted { page.reverse() }
    return answer(page, newest: fault == .countsServerTime ? now : page.map(\.date).max())
  }

  /// Everything that the server has, by date and id, and its time.
  private func load() async throws -> ([Shelf.Entry], Int64) {
    try await shelf.request(ignoringCancellation: fault == .ignoresCancellation) {
      ($0.sorted, $0.now + 1)
    }
  }

  private func remaining(_ entries: [Shelf.Entry]) -> [Shelf.Entry] {
    guard let place else { return entries }
    return switch fault {
    case .byPosition: Array(entries.filter { $0.record != nil }.dropFirst(place.position))
    case .comparesDates: entries.filter { $0.date > place.date }
    case .repeatsBorder:
      entries.drop { ($0.date, $0.id) < (place.date, place.id) }.count > 1
        ? Array(entries.drop { ($0.date, $0.id) < (place.date, place.id) }) : []
    default: entries.filter { ($0.date, $0.id) > (place.date, place.id) }
    }
  }

  private func answer(_ entries: [Shelf.Entry], newest: Int64?) -> SyncPage {
    if fault == .bringsDeleted {
      let bodies = entries.map { entry -> Record in
        entry.record
          ?? ["Id": entry.id.token, "lastModifiedDate": .int64(entry.date), "IsDeleted": true]
      }
      return SyncPage(bodies, newestDate: newest)
    }
    let isSilent = fault == .noDeletions || !tellsDeletions
    let deleted = isSilent ? [] : entries.filter { $0.record == nil }.map(\.id)
    return SyncPage(
      entries.compactMap(\.record).map(spoiled),
      deletedIDs: deleted,
      newestDate: newest
    )
  }

  private func spoiled(_ record: Record) -> Record {
    var record = record
    switch fault {
    case .throughDouble:
      for (field, value) in record.object where field != "lastModifiedDate" {
        if case .number(let number) = value, let double = Double(number.text) {
          record[field] = .double(double)
        }
      }
    case .dropsField: record["exactNull"] = nil
    case .newIDs: record["Id"] = .string("\(record["Id"]?.string ?? "")-\(fetchCount)")
    case .datesStay: record["lastModifiedDate"] = 1_700_000_000_000
    default: break
    }
    return record
  }

  /// What a request answers; a bad target takes a failure for nothing.
  private func failing<Answer>(_ body: () async throws -> Answer) async throws -> Answer? {
    do {
      return try await body()
    } catch let error as SyncError where error.httpStatus == 429 {
      if fault == .noRetryAfter { throw SyncError(.network, "429") }
      throw error
    } catch let error as SyncError where error.code == .authentication {
      if fault == .sessionIsNetwork { throw SyncError(.network, "401") }
      throw error
    } catch let error as SyncError {
      if fault == .failureIsEmpty { return nil }
      if fault == .failureIsFinal { throw SyncError(.configInvalid, "it failed") }
      throw error
    }
  }

  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    let live = Set(try await shelf.request { $0.live.map(\.id) })
    switch fault {
    case .noDeletions: throw SyncError(.ghostsUnsupported, "no ids")
    case .fewRemoteIDs: return Set(localIDs.prefix(2)).intersection(live)
    case .allRemoteIDs: return Set(localIDs)
    default: return live.intersection(localIDs)
    }
  }
}

/// The same with a cursor of its own.
struct ShelfCursorTarget: CheckpointedSyncDownTarget {
  private var base: ShelfTarget
  private var epoch = 0

  init(_ shelf: Shelf, _ fault: DownFault? = nil) { base = ShelfTarget(shelf, fault) }

  var totalSize: Int? { base.totalSize }
  var isSortedByModificationDate: Bool { true }

  var checkpoint: JSON? {
    get {
      guard let place = base.place else { return nil }
      return [
        "since": JSON(base.since), "date": JSON(place.date), "id": .string(place.id.text),
        "epoch": JSON(epoch),
      ]
    }
    set {
      guard let newValue, let since = newValue["since"]?.int64, let date = newValue["date"]?.int64,
        let id = newValue["id"]?.string, let epoch = newValue["epoch"]?.int64
      else {
        base.place = nil
        return
      }
      base.since = since
      base.place = ShelfTarget.Place(date: date, id: RecordID(id), position: 0)
      self.epoch = Int(epoch)
    }
  }

  mutating func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage?
  {
    epoch = try await base.shelf.request { $0.epoch }
    let page = try await base.startFetch(syncManager: syncManager, maxTimeStamp: maxTimeStamp)
    try await runAhead(syncManager)
    return page
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    if try await base.shelf.request({ $0.epoch }) != epoch {
      if base.fault == .emptyAfterExpiry { return nil }
      throw SyncError(.cursorExpired, "410")
    }
    return try await base.continueFetch(syncManager: syncManager)
  }

  /// A bad target's checkpoint is already behind the page that comes next.
  private mutating func runAhead(_ manager: SyncManager) async throws {
    guard base.fault == .checkpointAhead else { return }
    _ = try await base.continueFetch(syncManager: manager)
  }

  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await base.remoteIDs(among: localIDs, syncManager: syncManager)
  }
}
