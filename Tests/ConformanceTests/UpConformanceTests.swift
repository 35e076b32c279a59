import OfflineSync
import OfflineSyncTesting
import Testing

/// The good targets pass; each bad one is the good one with one fault, and the report names it.
@Suite(.timeLimit(.minutes(15)))
struct UpConformanceTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a good target keeps every guarantee, in whatever order they are checked`(seed: UInt64)
    async throws
  {
    let (shelf, world) = Shelf.makeWorld()
    let report = try await checkConformance(of: ShelfUpTarget(shelf), in: world, seed: seed)
    #expect(report.holds, "\(report)")
    #expect(report.inapplicable == [.upBatchOrder], "\(report)")
    #expect(report.findings.map(\.guarantee) == ConformanceGuarantee.up)
  }

  @Test func `a good target of batches keeps every guarantee`() async throws {
    let (shelf, world) = Shelf.makeWorld()
    let report = try await checkConformance(of: ShelfBatchTarget(shelf), in: world)
    #expect(report.holds, "\(report)")
    #expect(report.inapplicable == [], "\(report)")
  }

  @Test func `without a world that creates, the target's own creates are what is updated`()
    async throws
  {
    var (shelf, world) = Shelf.makeWorld()
    world.create = nil
    world.list = nil
    let report = try await checkConformance(of: ShelfUpTarget(shelf), in: world)
    #expect(report.holds, "\(report)")
    #expect(report[.upUpdate] == .holds)
    #expect(report[.upDelete] == .holds)
  }

  static let faults: [(UpFault, Set<ConformanceGuarantee>)] = [
    (.wrongID, [.upCreate, .upCreateOnce, .upExact, .upAnswer]),
    (.forgetsOperations, [.upCreateOnce]), (.probesPresence, [.upProbe]),
    (.replacesWhole, [.upUpdate, .upClear]), (.sendsEverything, [.upUpdate]),
    (.dropsNulls, [.upClear, .upExact]), (.deletesNothing, [.upDelete]),
    (.deletesNeighbour, [.upDelete]), (.resurrects, [.upMissingUpdate]),
    (.failsMissing, [.upMissingUpdate, .upMissingDelete]), (.staleVersions, [.upVersions]),
    (.foreignVersions, [.upVersions]), (.conflictWrites, [.upConflict]),
    (.conflictShowsOurs, [.upConflict]), (.answersWhatWasSent, [.upAnswer]),
    (.throughDouble, [.upExact]), (.throwsRefusal, [.upRefusal]), (.allOrNone, [.upRefusal]),
    (.reversesBatch, [.upRefusal, .upBatchOrder]), (.shortensBatch, [.upRefusal, .upBatchOrder]),
    (.failureIsMissing, [.upUnavailable]), (.failureIsRefusal, [.upUnavailable]),
    (.noRetryAfter, [.upRateLimit]), (.sessionIsRefusal, [.upAuthentication]),
    (.ignoresCancellation, [.upCancellation]),
  ]

  @Test(arguments: faults)
  func `each fault of a target is found, and nothing else is said to fail`(
    fault: UpFault,
    guarantees: Set<ConformanceGuarantee>
  ) async throws {
    var (shelf, world) = Shelf.makeWorld()
    if fault == .ignoresCancellation { world.patience = .seconds(1) }
    let report =
      switch fault {
      case .allOrNone, .reversesBatch, .shortensBatch:
        try await checkConformance(of: ShelfBatchTarget(shelf, fault), in: world)
      default: try await checkConformance(of: ShelfUpTarget(shelf, fault), in: world)
      }
    #expect(Set(report.failures.map(\.guarantee)) == guarantees, "\(report)")
  }

  @Test func `every fault is in the table, and every guarantee is broken by one`() {
    #expect(Set(Self.faults.map(\.0)) == Set(UpFault.allCases))
    #expect(Self.faults.reduce(into: []) { $0.formUnion($1.1) } == Set(ConformanceGuarantee.up))
  }
}
