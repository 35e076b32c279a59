// What a reader does to see what the writer wrote.

extension Store {
  /// Follows the writer; does nothing in a writer.
  func follow() throws {
    guard isReadOnly else { return }
    let before = state.syncs.map(\.row.state)
    let generation = journal.generation
    let wasDamaged = journal.damage != nil
    guard try journal.refresh(into: &state) else { return }
    if journal.generation != generation || (journal.damage != nil) != wasDamaged {
      _ = state.takeTouched()
      tellReload()
    } else {
      tellChanges()
    }
    let known = Dictionary(before.map { ($0.id, $0) }) { $1 }
    tellStatuses(state.syncs.map { shown($0.row).state }.filter { known[$0.id] != $0 })
  }

  /// Follows the writer, or goes on with what was seen last: for calls that cannot throw.
  func followOrKeep() {
    do {
      try follow()
    } catch {
      environment.log(
        SyncClient.LogEntry(level: "warning", message: "the writer was not followed: \(error)")
      )
    }
  }

  /// The row as a reader shows it: a run is interrupted when no writer lives.
  func shown(_ row: SyncRow) -> SyncRow {
    guard isReadOnly, row.status == .running else { return row }
    do {
      if try journal.directory.hasWriter() { return row }
    } catch {
      return row
    }
    var row = row
    row.status = .stopped
    return row
  }
}
