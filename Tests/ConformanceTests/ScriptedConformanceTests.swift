import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// The scripted targets of the testing product, as good and as bad servers.
@Suite(.timeLimit(.minutes(15)))
struct ScriptedConformanceTests {
  private static func world(_ server: ScriptedServer) -> ConformanceWorld {
    let count = Mutex(0)
    var world = ConformanceWorld(collection: "contacts")
    world.environment = .check()
    world.create = { fields in
      let number = count.withLock { count in
        count += 1
        return count
      }
      var record: Record = ["Id": .string("other \(number)")]
      record.assign(fields)
      server.put(record)
      return RecordID("other \(number)")
    }
    world.change = { id, fields in
      for (field, value) in fields.object { server.set(field, to: value, of: id) }
    }
    world.delete = { server.delete($0) }
    world.read = { server[$0] }
    world.list = { server.ids }
    return world
  }

  @Test func `the scripted down target keeps every guarantee that one page can have`()
    async throws
  {
    let server = ScriptedServer()
    let report = try await checkConformance(
      of: ScriptedServerTarget(server),
      in: Self.world(server)
    )
    #expect(report.holds, "\(report)")
    #expect(report[.downComplete] == .holds)
    #expect(report[.downDeletion] == .holds)
    #expect(report[.downGhosts] == .holds)
  }

  static let behaviours: [(repeats: Bool, probes: Bool, failures: [ConformanceGuarantee])] = [
    (false, false, [.upCreateOnce]), (true, false, []), (false, true, []), (true, true, []),
  ]

  @Test(arguments: behaviours, [false, true])
  func `a scripted server that neither knows operations nor answers probes makes a second record`(
    behaviour: (repeats: Bool, probes: Bool, failures: [ConformanceGuarantee]),
    isBatch: Bool
  ) async throws {
    let server = ScriptedServer()
    server.behaviour.honoursOperationIDs = behaviour.repeats
    server.behaviour.answersProbes = behaviour.probes
    server.behaviour.answersWithRecords = true
    let report: ConformanceReport
    if isBatch {
      var target = ScriptedBatchUpTarget(server)
      target.acceptsPartialUpdates = true
      report = try await checkConformance(of: target, in: Self.world(server))
    } else {
      // Whole bodies, one by one.
      report = try await checkConformance(of: ScriptedUpTarget(server), in: Self.world(server))
    }
    #expect(report.failures.map(\.guarantee) == behaviour.failures, "\(report)")
    #expect(report[.upAnswer] == .holds)
    #expect((report[.upBatchOrder] == .holds) == isBatch)
  }

  @Test func `the scripted transfer keeps every guarantee until its script spoils one`()
    async throws
  {
    let server = ScriptedTransfer(chunkByteCount: 4000)
    var world = ConformanceWorld(collection: "contacts")
    world.environment = .check()
    world.replaceAttachment = { server.put($1, at: $0) }
    world.readAttachment = { server.bytes(of: $0) }
    let good = try await checkConformance(of: server, in: world)
    #expect(good.holds, "\(good)")
    #expect(good[.transferResume] == .holds)
    server.ignoresValidator = true
    let bad = try await checkConformance(of: server, in: world)
    #expect(bad.failures.map(\.guarantee) == [.transferValidator], "\(bad)")
  }
}
