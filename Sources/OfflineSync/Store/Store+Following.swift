// What a reader does to see what the writer wrote.

extension Store {
  /// Follows the writer; does nothing in a writer.
  func follow() throws {
    guard isReadOnly else { return }
    let before = state.syncs
    let readings = state.readings
    let rows = attachmentListeners.count > 0 ? state.attachments.rows : []
    do {
      if isInDoubt {
        state.reset()
        journal = try Journal.openReader(journal.directory, visitor: &state)
        isInDoubt = false
      } else {
        guard try journal.refresh(into: &state) else {
          tellInterrupted()
          return tellInterruptedTransfers()
        }
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
      tellAllAttachments(before: rows)
    } else {
      tellChanges()
      tellAttachments()
    }
    _ = state.attachments.takeReleased()
    let known = Dictionary(before.map { ($0.row.id, $0.row.state) }) { $1 }
    tellStatuses(state.syncs.map { shown($0.row).state }.filter { known[$0.id] != $0 })
  }

  /// Tells that runs are interrupted whose writer has died, which writes no line.
  ///
  /// A mailbox takes what it has heard already no second time.
  private func tellInterrupted() {
    guard statusListeners.count > 0 else { return }
    let running = state.syncs.map(\.row).filter { $0.status == .running }
    tellStatuses(running.map { shown($0).state }.filter { $0.status != .running })
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
