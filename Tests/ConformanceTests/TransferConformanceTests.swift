import OfflineSync
import OfflineSyncTesting
import Testing

/// The good transfer passes; each bad one is the good one with one fault, and the report names it.
@Suite(.timeLimit(.minutes(15)))
struct TransferConformanceTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a good transfer keeps every guarantee, in whatever order they are checked`(seed: UInt64)
    async throws
  {
    let (shelf, world) = Shelf.makeWorld()
    let report = try await checkConformance(of: ShelfTransfer(shelf), in: world, seed: seed)
    #expect(report.holds, "\(report)")
    #expect(report.inapplicable == [], "\(report)")
    #expect(report.findings.map(\.guarantee) == ConformanceGuarantee.transfer)
  }

  static let faults: [(TransferFault, Set<ConformanceGuarantee>)] = [
    (
      .flipsBit,
      [
        .transferRoundTrip, .transferResume, .transferWrongOffset, .transferDescribe,
        .transferRange, .transferValidator, .transferDelete, .transferAbandon,
        .transferUnavailable,
      ]
    ), (.noEmptyFiles, [.transferEmpty]),
    (.tellsWhatWasSent, [.transferOffset]),
    (.tellsTooLittle, [.transferOffset, .transferResume]), (.addsAnywhere, [.transferWrongOffset]),
    (.restartsSilently, [.transferWrongOffset]), (.knowsEverySession, [.transferSession]),
    (.tellsAnnounced, [.transferUnfinished]), (.confirmsBlindly, [.transferUnfinished]),
    (.notFoundPage, [.transferAbsent, .transferDelete]), (.upperCaseHash, [.transferDescribe]),
    (.lengthIsTotal, misread), (.ignoresRange, misread),
    (.ignoresValidator, [.transferValidator]), (.refusesSecondDelete, [.transferDelete]),
    (.keepsAbandoned, [.transferAbandon]), (.failureIsAbsent, [.transferUnavailable]),
    (.failureIsFinal, [.transferUnavailable]), (.noRetryAfter, [.transferRateLimit]),
    (.sessionIsTransfer, [.transferAuthentication]),
    (.ignoresCancellation, [.transferCancellation]),
  ]

  /// What cannot hold when downloads are put together wrongly.
  static let misread: Set<ConformanceGuarantee> = [
    .transferRange, .transferRoundTrip, .transferResume, .transferWrongOffset, .transferAbandon,
  ]

  @Test(arguments: faults)
  func `each fault of a transfer is found, and nothing else is said to fail`(
    fault: TransferFault,
    guarantees: Set<ConformanceGuarantee>
  ) async throws {
    var (shelf, world) = Shelf.makeWorld()
    if fault == .ignoresCancellation { world.patience = .seconds(1) }
    let report = try await checkConformance(of: ShelfTransfer(shelf, fault), in: world)
    #expect(Set(report.failures.map(\.guarantee)) == guarantees, "\(report)")
  }

  @Test func `every fault is in the table, and every guarantee is broken by one`() {
    #expect(Set(Self.faults.map(\.0)) == Set(TransferFault.allCases))
    #expect(
      Self.faults.reduce(into: []) { $0.formUnion($1.1) } == Set(ConformanceGuarantee.transfer)
    )
  }
}
