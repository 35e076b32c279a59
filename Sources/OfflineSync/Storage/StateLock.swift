/// The lock of a state directory, held: its holder alone writes.
package struct StateLock: Sendable {
  private let file: any File

  fileprivate init(_ file: any File) { self.file = file }

  /// Gives the lock back; good if it was given back.
  ///
  /// - Throws: `SyncError` STORE.
  package func release() throws {
    try StateDirectory.reporting { try file.close() }
  }
}

extension StateDirectory {
  /// Tries for the writer's lock, once and without waiting; nil: another client holds it.
  ///
  /// Makes the folder and the file LOCK if need be, but writes nothing to a store that is too new and
  /// to a folder that is no store. A reader holds the lock for an instant too, so a caller that gets
  /// nil tries again for 200 ms, and then throws ``lockedError()``.
  ///
  /// - Parameters:
  ///   - processID: Written into LOCK, to name the holder to others.
  ///   - isForRepair: Whether a damaged FORMAT.json, or none, is no reason to refuse.
  /// - Returns: The lock; nil: another client holds it.
  /// - Throws: `SyncError` STORE, STORE_FULL, STORE_CORRUPT, STORE_TOO_NEW.
  package func acquireLock(processID: Int32, isForRepair: Bool = false) throws -> StateLock? {
    try Self.reporting {
      try checkBeforeWriting(isForRepair: isForRepair)
      if try files.info(path) == nil { try files.makeDirectories(path) }
      let (file, isWritable) = try openLock()
      guard try file.tryLock(.exclusive) else {
        try file.close()
        return nil
      }
      if isWritable { writeHolder(processID, to: file) }
      return StateLock(file)
    }
  }

  /// STORE_LOCKED, naming the process that holds the lock.
  package func lockedError() -> SyncError {
    let holder = holder().map { "process \($0)" } ?? "another process"
    return SyncError(.storeLocked, "\(path) is open for writing in \(holder)")
  }

  /// Whether a writer holds the lock; the answer may be old when it arrives.
  ///
  /// - Throws: `SyncError` STORE.
  package func hasWriter() throws -> Bool {
    try Self.reporting {
      let file: any File
      do {
        file = try files.open(lockPath, .read)
      } catch let error as FileError where error.kind == .absent {
        return false
      }
      let isFree = try file.tryLock(.shared)
      try file.close()
      return !isFree
    }
  }

  private func checkBeforeWriting(isForRepair: Bool) throws {
    switch try contents() {
    case .absent, .unfinished: return
    case .store:
      do {
        _ = try format(for: .writer)
      } catch let error as SyncError where error.code == .storeCorrupt && isForRepair {
        return
      }
    case .foreign:
      // A store that is being made gets FORMAT.json and further entries while it is listed.
      guard case .foreign(let name, let generations) = try contents() else { return }
      guard isForRepair, !generations.isEmpty else { throw foreignError(name) }
    }
  }

  private func openLock() throws -> (file: any File, isWritable: Bool) {
    do {
      return (try files.open(lockPath, .readWrite), true)
    } catch let error as FileError where error.kind == .noPermission {
      // A store on a medium that cannot be written still serves its records.
      return (try files.open(lockPath, .read), false)
    } catch let error as FileError where error.kind == .absent {
      do {
        return (try files.open(lockPath, .create), true)
      } catch let error as FileError where error.kind == .exists {
        return (try files.open(lockPath, .readWrite), true)
      }
    }
  }

  /// The holder's name serves a message of others, so a disk that is full keeps nobody from opening.
  private func writeHolder(_ processID: Int32, to file: any File) {
    do {
      try file.truncate(to: 0)
      try file.write(Array("\(processID)\n".utf8), at: 0)
    } catch {
      return
    }
  }

  private func holder() -> String? {
    do {
      let bytes = try files.open(lockPath, .read).read(at: 0, count: 32)
      return Int32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)).map(String.init)
    } catch {
      return nil
    }
  }
}
