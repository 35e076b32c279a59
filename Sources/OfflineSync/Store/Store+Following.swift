// What a reader does to see what the writer wrote.

extension Store {
  /// Follows the writer; does nothing in a writer.
  func follow() throws {
    guard isReadOnly else { return }
    let before = state.syncs.map(\.row.state)
    let readings = state.readings
    do {
      if isInDoubt {
        state.reset()
        journal = try Journal.openReader(journal.directory, visitor: &state)
        isInDoubt = false
      } else {
        guard try journal.refresh(into: &state) else { return }
      }
      if journal.damage != nil { state.dropOrphans(includingDeletions: true) }
    } catch {
      // Some of it may have been taken: the next time all is read anew.
      isInDoubt = true
      throw error
    }
    if state.readings != readings {
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
