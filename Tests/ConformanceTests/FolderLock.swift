import OfflineSync
import Synchronization

/// The lock on a folder that another program holds.
final class FolderLock: Sendable {
  private let held = Mutex<(any File)?>(nil)

  /// Takes the lock of the folder, or gives it back.
  func set(_ isHeld: Bool, on path: String) throws {
    try held.withLock { held in
      if let file = held { try file.close() }
      held = nil
      guard isHeld else { return }
      let file = try SystemFileSystem().open(path, .directory)
      guard try file.tryLock(.exclusive) else {
        try file.close()
        throw SyncError(.storeLocked, "somebody else holds the lock")
      }
      held = file
    }
  }
}
