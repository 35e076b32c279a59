// Streams of changes and of statuses: a bounded mailbox here, an `AsyncStream` there.

/// The waiting changes of one reader of `Store.watch`.
struct CollectionMailbox: Sendable {
  let collection: String
  var changes = ChangeMailbox()
}

/// The waiting statuses of one reader; of one sync, or nil: of all.
struct SyncMailbox: Sendable {
  let sync: SyncID?
  var states: StatusMailbox
}

extension Store {
  /// What happens to a collection's records from now on: watch, then read.
  public func watch(_ collection: String) async -> AsyncStream<StoreChange> {
    guard !isClosed else { return AsyncStream { $0.finish() } }
    followOrKeep()
    let (number, bell) = changeListeners.add(CollectionMailbox(collection: collection))
    state.watched.insert(collection)
    return stream(bell) { $0.takeChange(number) }
  }

  /// A sync's status now, then each one after it.
  package func watchSync(_ id: SyncID) -> AsyncStream<SyncState> {
    guard let row = syncRow(id) else { return AsyncStream { $0.finish() } }
    return watchStatuses(of: id, from: [row.state])
  }

  /// The status of every sync now, then each one after it.
  package func watchSyncs() -> AsyncStream<SyncState> {
    guard !isClosed else { return AsyncStream { $0.finish() } }
    return watchStatuses(of: nil, from: syncRows().map(\.state))
  }

  /// How many streams are read, perhaps a few that were dropped included.
  package var readerCount: Int { changeListeners.count + statusListeners.count }

  private func watchStatuses(of sync: SyncID?, from states: [SyncState]) -> AsyncStream<SyncState> {
    let (number, bell) = statusListeners.add(
      SyncMailbox(sync: sync, states: StatusMailbox(states))
    )
    return stream(bell) { $0.takeStatus(number) }
  }

  /// Puts what a commit did into the mailboxes of those who watch the collection.
  func tellChanges() {
    for (place, touched) in state.takeTouched() {
      let collection = state[place]
      let events = touched.events(
        isThere: { collection.index.slot(of: $0) != nil },
        isLive: { id in collection.index.slot(of: id).map { collection.isLive($0) } ?? false }
      )
      guard !events.isEmpty else { continue }
      changeListeners.tell { mailbox in
        guard mailbox.collection == collection.name else { return false }
        mailbox.changes.put(.records(events))
        return true
      }
    }
    if changeListeners.count == 0 { state.watched = [] }
  }

  /// Tells every reader of changes to read its collection again.
  func tellReload() {
    changeListeners.tell { mailbox in
      mailbox.changes.put(.reload)
      return true
    }
  }

  /// Puts statuses into the mailboxes.
  func tellStatuses(_ statuses: [SyncState]) {
    for status in statuses {
      statusListeners.tell { mailbox in
        guard mailbox.sync == nil || mailbox.sync == status.id else { return false }
        mailbox.states.put(status)
        return true
      }
    }
  }

  private func takeChange(_ number: Int) -> StoreChange? {
    followOrKeep()
    return changeListeners.take(number) { $0.changes.take() } ?? nil
  }

  private func takeStatus(_ number: Int) -> SyncState? {
    followOrKeep()
    return statusListeners.take(number) { $0.states.take() } ?? nil
  }

  /// A stream that takes from a mailbox, and waits for its bell while that is empty.
  ///
  /// It holds the store weakly: a store that nobody uses any more ends its streams.
  func stream<Value: Sendable>(
    _ bell: AsyncStream<Void>,
    take: @escaping @Sendable (isolated Store) -> Value?
  ) -> AsyncStream<Value> {
    let environment = environment
    let pause: Duration? = isReadOnly ? .milliseconds(250) : nil
    return AsyncStream(unfolding: { [weak self] in
      while true {
        if let value = await self?.taking(take) { return value }
        if let pause {
          // Nobody rings for what another process writes, so a reader looks from time to time.
          guard await self?.isClosed == false, await environment.pause(for: pause) else {
            return nil
          }
          continue
        }
        var ring = bell.makeAsyncIterator()
        if await ring.next() == nil { return await self?.taking(take) }
      }
    })
  }

  private func taking<Value: Sendable>(
    _ take: @Sendable (isolated Store) -> Value?
  ) -> Value? {
    take(self)
  }
}

extension SyncClient.Environment {
  /// Waits on the environment's clock; false: the task was cancelled meanwhile.
  package func pause(for duration: Duration) async -> Bool {
    do {
      try await clock.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }
}
