import OfflineSync
import OfflineSyncTesting
import Testing

/// A folder that fails as a whole is as a network that is down: it says nothing of any record.
@Suite(.timeLimit(.minutes(15)))
struct FolderOutageTests {
  /// What a folder answers that may not be read or written, is full, or whose disk or server is gone.
  static let faults = [
    SimulatedFault.noPermission, .full, .inputOutput, SimulatedFault(kind: .absent),
    SimulatedFault(kind: .notDirectory), SimulatedFault(kind: .busy),
  ]

  /// What becomes of a folder that is taken away.
  enum Loss: CaseIterable, Sendable {
    /// The remote is not mounted any more, and its mount point is gone too.
    case root
    /// Of the remote only the bare mount point is left.
    case emptyRoot
    /// The collection's folder is gone.
    case collection
    /// An empty one is in its place.
    case emptyCollection

    func happen(_ files: any FileSystem) throws {
      switch self {
      case .root, .emptyRoot: try files.rename("/remote", to: "/unmounted")
      case .collection, .emptyCollection:
        try files.rename("/remote/places", to: "/unmounted")
      }
      if self == .emptyRoot { try files.makeDirectory("/remote") }
      if self == .emptyCollection { try files.makeDirectory("/remote/places") }
    }

    /// What is then at the path of the remote, beside temporary files and what the call itself wrote.
    func traces(_ files: any FileSystem) throws -> [String] {
      try files.info("/remote") == nil ? [] : files.list("/remote")
    }
  }

  private func counted(_ call: FolderCall) async throws -> (count: Int, answer: String) {
    let files = InterruptedFileSystem(MemoryFileSystem { 0 })
    let folder = try TestFolder(files)
    try FolderCall.fill(folder)
    let pushes = try await FolderPushes(folder)
    files.interrupt(before: .max)
    let answer = try await call.run(pushes)
    return (files.count, answer)
  }

  @Test(arguments: FolderCall.sends + FolderCall.looks, faults)
  func `a folder that refuses everything from some moment on ends the call as a network would`(
    call: FolderCall,
    fault: SimulatedFault
  ) async throws {
    let whole = SimulatedFileSystem()
    let wholeFolder = try TestFolder(whole)
    try FolderCall.fill(wholeFolder)
    let start = whole.operationCount
    _ = try await call.run(FolderPushes(wholeFolder))
    let count = whole.operationCount - start
    #expect(count > 1)
    for number in 1...count {
      let disk = SimulatedFileSystem()
      let folder = try TestFolder(disk)
      try FolderCall.fill(folder)
      let pushes = try await FolderPushes(folder)
      disk.fail(operation: disk.operationCount + number, fault, isForEver: true)
      let error = await #expect(throws: SyncError.self, "from operation \(number)") {
        _ = try await call.run(pushes)
      }
      #expect(error?.code == .network, "from operation \(number): \(String(describing: error))")
      #expect(error?.isRetryable == true)
      #expect(error?.message.contains("/remote") == true)
      disk.stopFailing()
      _ = try await call.run(pushes)
    }
  }

  @Test(arguments: FolderCall.sends + FolderCall.looks, Loss.allCases)
  func `a folder that goes at any moment is never taken for one without records`(
    call: FolderCall,
    loss: Loss
  ) async throws {
    let (count, whole) = try await counted(call)
    for number in call.firstHeld(loss)...count {
      let files = InterruptedFileSystem(MemoryFileSystem { 0 })
      let folder = try TestFolder(files)
      try FolderCall.fill(folder)
      let pushes = try await FolderPushes(folder)
      files.interrupt(before: number) { try loss.happen($0) }
      do {
        let answer = try await call.run(pushes)
        #expect(answer == whole, "gone before call \(number)")
        #expect(number == count, "only after everything was read or written it may go unseen")
      } catch let error as SyncError {
        #expect(error.code == .network && error.isRetryable, "gone before call \(number)")
      }
      // Nothing that is missing is made anew.
      #expect(
        try loss.traces(files.base) == (loss == .emptyCollection ? ["places"] : [])
      )
    }
  }

  @Test(arguments: Loss.allCases)
  func `a call to a folder that is gone before it begins is refused`(loss: Loss) async throws {
    // An empty folder from the start is one without records.
    guard loss != .emptyCollection else { return }
    let files = MemoryFileSystem { 0 }
    let folder = try TestFolder(files)
    try FolderCall.fill(folder)
    let pushes = try await FolderPushes(folder)
    try loss.happen(files)
    for call in FolderCall.sends.dropFirst() + FolderCall.looks {
      let error = await #expect(throws: SyncError.self) { _ = try await call.run(pushes) }
      #expect(error?.code == .network, "\(call.name)")
    }
  }

  @Test func `a single file that is removed meanwhile stays legal`() async throws {
    let files = InterruptedFileSystem(MemoryFileSystem { 0 })
    let folder = try TestFolder(files)
    try FolderCall.fill(folder)
    let pushes = try await FolderPushes(folder)
    let (count, _) = try await counted(FolderCall.looks[0])
    for number in 1...count {
      try FolderCall.fill(folder)
      files.interrupt(before: number) { try $0.remove("/remote/places/c.json") }
      let answer = try await FolderCall.looks[0].run(pushes)
      #expect(answer == #"["a", "b", "c", "d"] []"# || answer == #"["a", "b", "d"] []"#)
    }
  }

  @Test(arguments: FolderOutageTests.faults)
  func `what only one file's name, place or owner refuses is that record's failure`(
    fault: SimulatedFault
  ) async throws {
    for (call, operation, ending) in [
      (FolderCall.update, "rename", ".tmp"), (FolderCall.delete, "rename", ".tmp"),
      (FolderCall.delete, "remove", "a.json"),
    ] {
      let disk = SimulatedFileSystem()
      let folder = try TestFolder(disk)
      try FolderCall.fill(folder)
      let pushes = try await FolderPushes(folder)
      disk.failNext(operation, pathEnding: ending, fault)
      if fault == .noPermission || fault == SimulatedFault(kind: .busy) {
        let failure = try #require(try await pushes.send(call, .overwrite).failure)
        #expect(failure.code == "SYNC_TARGET_FAILED" && failure.isRetryable)
        #expect(!failure.spendsAttempt)
      } else if fault == SimulatedFault(kind: .absent) && operation == "remove" {
        #expect(try await pushes.send(call, .overwrite) == .deleted)
      } else {
        let error = await #expect(throws: SyncError.self) {
          try await pushes.send(call, .overwrite)
        }
        #expect(error?.code == .network)
      }
      let isDelete = call.kind == .deleted
      let outcome = try await pushes.send(call, .overwrite)
      #expect(isDelete ? outcome == .deleted : outcome.updated != nil)
      #expect(try folder.text(at: "a.json") == nil || !isDelete)
    }
  }

  @Test func `a directory where the tombstone belongs is the record's failure, and counts`()
    async throws
  {
    let pushes = try await FolderPushes()
    try FolderCall.fill(pushes.folder)
    try pushes.folder.files.makeDirectory(pushes.folder.places + "/.deleted/a.json")
    let failure = try #require(try await pushes.send(FolderCall.delete, .overwrite).failure)
    #expect(failure.code == "SYNC_TARGET_FAILED")
    #expect(failure.isRetryable && failure.spendsAttempt)
    #expect(try pushes.folder.text(at: "a.json") != nil)
  }

  @Test(
    arguments: [
      (SimulatedFault.noPermission, true), (.inputOutput, true),
      (SimulatedFault(kind: .isDirectory), false), (SimulatedFault(kind: .symbolicLink), false),
    ]
  )
  func `a file that cannot be read now may be read later, what is no file will not`(
    fault: SimulatedFault,
    isPassing: Bool
  ) async throws {
    let disk = SimulatedFileSystem()
    let folder = try TestFolder(disk)
    try FolderCall.fill(folder)
    let pushes = try await FolderPushes(folder)
    for change in [FolderCall.update, FolderCall.delete] {
      disk.failNext("open", pathEnding: "/a.json", fault)
      let failure = try #require(try await pushes.send(change, .overwrite).failure)
      #expect((failure.code, failure.isRetryable) == ("SYNC_TARGET_FAILED", true))
      #expect(failure.spendsAttempt == !isPassing)
      #expect((failure.retryAfter != nil) == isPassing)
    }
  }
}
