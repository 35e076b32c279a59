import OfflineSync
import OfflineSyncTesting
import Testing

/// What a doctor makes of the files of attachments: it deletes none that may be the only one.
@Suite(.timeLimit(.minutes(15)))
struct ContentRepairTests {
  private static let picturePath = "/state/attachments/content/\(pictureHash)"

  // MARK: - Rows that are lost

  enum Damage: String, CaseIterable {
    case everyRow, lastRow, record, header, emptyJournal, noJournal
  }

  /// Damages the journal of a closed store; the answer is what it was.
  private func damage(_ disk: SimulatedFileSystem, _ damage: Damage) throws -> [UInt8] {
    let path = "/state/journal-1.jsonl"
    let bytes = try disk.bytes(of: path)
    let starts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    func flip(_ starts: [Int]) throws {
      for start in starts { try disk.flipBit((start + 40) * 8, of: path) }
    }
    func lines(_ kind: Character) -> [Int] {
      starts.filter { $0 < bytes.count && bytes[$0 + 21] == kind.asciiValue }
        // The line that remembers the columns has no reference.
        .filter { kind != "a" || bytes[$0 + 25] != UInt8(ascii: "\"") }
    }
    switch damage {
    case .everyRow: try flip(lines("a"))
    case .lastRow: try flip(Array(lines("a").suffix(1)))
    case .record: try flip(lines("r"))
    case .header: try flip([0])
    case .emptyJournal: try disk.cut(path, to: 0)
    case .noJournal: try disk.remove(path)
    }
    disk.makeDurable()
    return bytes
  }

  /// A closed store with bytes that no server has, three days old.
  private func closed(_ test: TestEnvironment = TestEnvironment()) async throws -> (World, String) {
    let world = try await World(test: test)
    let reference = try await world.pushedAttachment()
    try await world.client.close()
    test.clock.advance(by: .seconds(3 * 24 * 60 * 60))
    return (world, reference)
  }

  /// Opens the store as an app does, edits, and cleans up.
  private func use(_ world: World, _ disk: SimulatedFileSystem) async throws {
    let next = try await World(server: world.server, test: world.test, disk: disk)
    if try await next.store.record("new", in: "contacts") == nil {
      try await next.store.create(contact("new"), in: "contacts")
    }
    _ = try await next.queue.vacuum()
    try await next.client.close()
  }

  /// Whether the bytes are where an app or a user finds them.
  private func hasPicture(_ disk: SimulatedFileSystem) throws -> Bool {
    let paths = disk.filePaths.filter { $0.hasSuffix(pictureHash) && !$0.contains(".tmp/") }
    return try paths.contains { try disk.bytes(of: $0) == picture }
  }

  @Test(arguments: Damage.allCases)
  func `a repair keeps the files whose rows it loses, and its backup brings back everything`(
    _ damage: Damage
  ) async throws {
    let (world, reference) = try await closed()
    let disk = world.disk
    let good = try self.damage(disk, damage)
    let repair = try await self.repair(disk, world)
    let backup = try #require(repair.backupPath)
    let isLost = try disk.info(Self.picturePath) == nil
    #expect(isLost == [.everyRow, .emptyJournal, .noJournal].contains(damage))
    let told = repair.findings.filter { $0.description.contains(pictureHash) }
    #expect(told.count == (isLost ? 1 : 0) && !told.contains(where: \.isDamage))
    if isLost {
      #expect(try disk.bytes(of: backup + "/attachments/content/" + pictureHash) == picture)
    }
    try await use(world, disk)
    #expect(try hasPicture(disk))

    for path in disk.filePaths where path.hasPrefix("/state/journal-") { try disk.remove(path) }
    for path in disk.filePaths where path.hasPrefix(backup) {
      try disk.setBytes(of: "/state" + path.dropFirst(backup.count), to: disk.bytes(of: path))
    }
    try disk.setBytes(of: "/state/journal-1.jsonl", to: good)
    let back = try await World(server: world.server, test: world.test, disk: disk)
    #expect(try await back.queue.bytes(of: reference) == picture)
    #expect(try await back.queue.sync() == 1)
  }

  @Test(arguments: [Damage.everyRow, .emptyJournal, .noJournal])
  func `whenever a repair is killed, the bytes are still there, and the next one ends it`(
    _ damage: Damage
  ) async throws {
    let (world, _) = try await closed()
    _ = try self.damage(world.disk, damage)
    let whole = world.disk.afterKill()
    _ = try await repair(whole, world)
    try await use(world, whole)
    let numbers = whole.operations.filter(\.isChange).map(\.number)
    #expect(numbers.count > 20)
    for number in numbers {
      let disk = world.disk.afterKill()
      disk.crash(afterOperation: number)
      do {
        _ = try await repair(disk, world)
        try await use(world, disk)
      } catch is SimulatedCrash {
        // Its last operation.
      } catch let error as SyncError {
        #expect(error.code == .store, "\(error)")
      }
      for survivor in disk.survivingStates(limit: 4, seed: UInt64(number)) {
        _ = try await repair(survivor, world)
        let left = try StoreDoctor.verify(survivor, at: "/state").filter(\.isDamage)
        #expect(left.isEmpty, "crash after \(number)")
        try await use(world, survivor)
        #expect(try hasPicture(survivor), "crash after \(number)")
      }
    }
  }

  @Test func `whatever operation of a repair fails, the bytes are still there`() async throws {
    let (world, _) = try await closed()
    _ = try damage(world.disk, .everyRow)
    let whole = world.disk.afterKill()
    _ = try await repair(whole, world)
    for number in 1...whole.operationCount {
      for fault in [SimulatedFault.full, .inputOutput, .noPermission] {
        let disk = world.disk.afterKill()
        disk.fail(operation: number, fault)
        do { _ = try await repair(disk, world) } catch is SyncError {}
        disk.stopFailing()
        _ = try await repair(disk, world)
        try await use(world, disk)
        #expect(try hasPicture(disk), "\(fault) at \(number)")
      }
    }
  }

  // MARK: - Bytes that are bad

  enum Row: String, CaseIterable { case waiting, uploaded, downloaded }
  enum Fault: String, CaseIterable { case missing, cut, altered }

  private func make(_ row: Row) async throws -> (World, String) {
    let world = try await World()
    var reference = "me/1/a.png"
    switch row {
    case .waiting: reference = try await world.pushedAttachment()
    case .uploaded:
      reference = try await world.pushedAttachment()
      _ = try await world.queue.sync()
    case .downloaded:
      try await world.pulledAttachment(reference)
      _ = try await world.queue.resolve(reference)
    }
    try await world.client.close()
    return (world, reference)
  }

  private func spoil(_ disk: SimulatedFileSystem, _ fault: Fault) throws {
    switch fault {
    case .missing: try disk.remove(Self.picturePath)
    case .cut: try disk.cut(Self.picturePath, to: picture.count - 1)
    case .altered: try disk.flipBit(9, of: Self.picturePath)
    }
  }

  @Test(arguments: Row.allCases, Fault.allCases)
  func `a bad file is named, and fetched again if a server has it`(
    row: Row,
    fault: Fault
  ) async throws {
    let (world, reference) = try await make(row)
    let disk = world.disk
    let sound = try StoreDoctor.check(disk, at: "/state")
    #expect(sound.findings.isEmpty && sound.verifiedFileCount == 1)
    try spoil(disk, fault)
    let bad = fault == .missing ? nil : try disk.bytes(of: Self.picturePath)

    let report = try StoreDoctor.check(disk, at: "/state")
    #expect(report.findings.map(\.subject) == ["the attachment \(reference)"])
    #expect(report.findings.allSatisfy(\.isDamage) && report.verifiedFileCount == 0)
    let journal = try disk.bytes(of: "/state/journal-1.jsonl")
    let repair = try await self.repair(disk, world)
    #expect(repair.findings == report.findings)
    if row == .waiting {
      #expect(repair.backupPath == nil && repair.unrepaired == report.findings)
      #expect(try disk.bytes(of: "/state/journal-1.jsonl") == journal)
      if let bad { #expect(try disk.bytes(of: Self.picturePath) == bad) }
      return
    }
    #expect(repair.unrepaired.isEmpty)
    let backup = try #require(repair.backupPath)
    #expect(try disk.info(Self.picturePath) == nil)
    #expect(try disk.bytes(of: backup + "/journal-1.jsonl") == journal)
    if let bad {
      #expect(try disk.bytes(of: "\(backup)/attachments/content/\(pictureHash)") == bad)
    }
    #expect(try StoreDoctor.verify(disk, at: "/state").isEmpty)
    #expect(try await self.repair(disk, world).backupPath == nil)
    let next = try await World(server: world.server, test: world.test, disk: disk)
    #expect(try await next.status(reference)?.state == .synced)
    #expect(try await next.queue.resolve(reference) != nil)
    #expect(try await next.queue.bytes(of: reference) == picture)
    try await next.client.close()
    #expect(try StoreDoctor.check(disk, at: "/state").verifiedFileCount == 1)
  }

  @Test func `a bad file that another row waits to send stays, and good bytes replace it`()
    async throws
  {
    let world = try await World()
    let synced = try await world.pushedAttachment()
    _ = try await world.queue.sync()
    let waiting = try await world.pushedAttachment(picture, to: "2")
    try await world.client.close()
    let disk = world.disk
    try spoil(disk, .altered)
    let repair = try await self.repair(disk, world)
    #expect(
      Set(repair.findings.map(\.subject)) == Set([synced, waiting].map { "the attachment \($0)" })
    )
    #expect(repair.unrepaired.map(\.subject) == ["the attachment \(waiting)"])
    #expect(try disk.info(Self.picturePath) != nil)
    let next = try await World(server: world.server, test: world.test, disk: disk)
    #expect(try await next.queue.resolve(synced) != nil)
    try await next.client.close()
    #expect(try StoreDoctor.verify(disk, at: "/state").isEmpty)
  }

  @Test func `a bad file beside a damaged journal goes into the same backup`() async throws {
    let (world, reference) = try await make(.uploaded)
    let disk = world.disk
    _ = try damage(disk, .record)
    try spoil(disk, .cut)
    let repair = try await self.repair(disk, world)
    let backup = try #require(repair.backupPath)
    #expect(repair.findings.contains { $0.subject == "the attachment \(reference)" })
    #expect(try disk.list("/state/damaged").filter { $0 != "backup.tmp" } == ["backup-1"])
    #expect(try disk.list(backup + "/attachments/content") == [pictureHash])
    #expect(try StoreDoctor.verify(disk, at: "/state").isEmpty)
  }

  @Test func `whenever the repair of a bad file is killed, the next one ends it`() async throws {
    let (world, reference) = try await make(.uploaded)
    try spoil(world.disk, .altered)
    world.disk.makeDurable()
    let bad = try world.disk.bytes(of: Self.picturePath)
    let whole = world.disk.afterKill()
    _ = try await repair(whole, world)
    for number in whole.operations.filter(\.isChange).map(\.number) {
      let disk = world.disk.afterKill()
      disk.crash(afterOperation: number)
      do { _ = try await repair(disk, world) } catch is SimulatedCrash {} catch is SyncError {}
      for survivor in disk.survivingStates(limit: 4, seed: UInt64(number)) {
        _ = try await repair(survivor, world)
        #expect(try StoreDoctor.verify(survivor, at: "/state").isEmpty, "crash after \(number)")
        let backups = survivor.filePaths.filter { $0.contains("/backup-") }
        let isKept = try backups.contains { try survivor.bytes(of: $0) == bad }
        #expect(isKept, "crash after \(number)")
        let server = world.server.copy()
        let next = try await World(server: server, test: world.test, disk: survivor)
        #expect(try await next.queue.resolve(reference) != nil)
        #expect(try await next.queue.bytes(of: reference) == picture)
      }
    }
  }

  @Test func `a file of many pieces is read through`() async throws {
    let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0) }
    let world = try await World()
    let reference = try await world.pushedAttachment(bytes)
    try await world.client.close()
    #expect(try StoreDoctor.check(world.disk, at: "/state").verifiedFileCount == 1)
    let path = try #require(world.disk.filePaths.first { $0.contains("/content/") })
    try world.disk.flipBit(2_400_000 * 8, of: path)
    let findings = try StoreDoctor.verify(world.disk, at: "/state")
    #expect(findings.map(\.subject) == ["the attachment \(reference)"])
  }

  private func repair(
    _ disk: SimulatedFileSystem,
    _ world: World
  ) async throws -> StoreDoctor.Repair {
    try await StoreDoctor.repair(disk, at: "/state", environment: world.test.environment)
  }
}
