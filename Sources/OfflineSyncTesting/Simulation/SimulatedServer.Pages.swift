import OfflineSync

// What down targets ask for.

extension SimulatedServer {
  /// A place in the order of dates.
  struct Position: Sendable {
    var date: Int64
    /// nil: after all of that date.
    var id: RecordID?
  }

  /// A place in the order of writes.
  struct Cursor: Sendable {
    var sequence: Int64
    var epoch: Int64

    var json: JSON { ["sequence": .int64(sequence), "epoch": .int64(epoch)] }

    init(sequence: Int64, epoch: Int64) {
      self.sequence = sequence
      self.epoch = epoch
    }

    init?(_ json: JSON?) {
      guard let sequence = json?["sequence"]?.int64, let epoch = json?["epoch"]?.int64 else {
        return nil
      }
      self.init(sequence: sequence, epoch: epoch)
    }
  }

  /// A page, and where it ends; nil: there is nothing more.
  struct Part<Place: Sendable>: Sendable {
    var page: SyncPage
    var end: Place
    var isLast: Bool
    var totalSize: Int?
  }
}

extension SimulatedServer.State {
  /// The next page in the order of dates, tombstones among the records.
  func page(
    of collection: String,
    after position: SimulatedServer.Position
  ) -> SimulatedServer.Part<SimulatedServer.Position>? {
    let left = shelf(collection).entries.filter { id, entry in
      guard entry.date == position.date, let last = position.id else {
        return entry.date > position.date
      }
      return id > last
    }
    .sorted { ($0.value.date, $0.key) < ($1.value.date, $1.key) }
    guard let last = left.prefix(behaviour.pageSize).last else { return nil }
    return part(left, end: .init(date: last.value.date, id: last.key), newest: last.value.date)
  }

  /// The next page in the order of writes.
  ///
  /// - Throws: `SyncError` CURSOR_EXPIRED.
  func page(
    of collection: String,
    after cursor: SimulatedServer.Cursor?,
    newerThan date: Int64
  ) throws -> SimulatedServer.Part<SimulatedServer.Cursor>? {
    if let cursor, cursor.epoch != epoch {
      throw SyncError(.cursorExpired, "the cursor \(cursor) has expired")
    }
    let left = shelf(collection).entries
      .filter { $0.value.sequence > cursor?.sequence ?? 0 && $0.value.date > date }
      .sorted { $0.value.sequence < $1.value.sequence }
    guard let last = left.prefix(behaviour.pageSize).last else { return nil }
    return part(left, end: .init(sequence: last.value.sequence, epoch: epoch), newest: nil)
  }

  private func part<Place: Sendable>(
    _ left: [(key: RecordID, value: SimulatedServer.Entry)],
    end: Place,
    newest: Int64?
  ) -> SimulatedServer.Part<Place> {
    let sent = left.prefix(behaviour.pageSize)
    return SimulatedServer.Part(
      page: SyncPage(
        sent.compactMap(\.value.record),
        deletedIDs: sent.filter { $0.value.record == nil }.map(\.key),
        newestDate: newest
      ),
      end: end,
      isLast: left.count <= behaviour.pageSize,
      totalSize: behaviour.tellsTotalSize ? left.count : nil
    )
  }

  /// What it has of these records; those it does not have are left out.
  func versions(of ids: [RecordID], in collection: String) -> [RecordID: RemoteVersion] {
    var versions: [RecordID: RemoteVersion] = [:]
    for id in ids {
      guard let entry = shelf(collection).entries[id], let record = entry.record else { continue }
      versions[id] =
        behaviour.tellsRecords
        ? .record(record, version: "\(entry.date)") : .modified(at: entry.date)
    }
    return versions
  }
}
