import OfflineSync
import OfflineSyncTesting
import Testing

/// The good targets pass; each bad one is the good one with one fault, and the report names it.
@Suite(.timeLimit(.minutes(15)))
struct DownConformanceTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a good target keeps every guarantee, in whatever order they are checked`(seed: UInt64)
    async throws
  {
    let (shelf, world) = Shelf.makeWorld()
    let report = try await checkConformance(of: ShelfTarget(shelf), in: world, seed: seed)
    #expect(report.holds, "\(report)")
    #expect(report.inapplicable == [.downExpiredCursor], "\(report)")
    #expect(report.findings.map(\.guarantee) == ConformanceGuarantee.down)
    #expect(report.description.contains("(seed \(seed))"))
  }

  @Test func `a good target with a cursor of its own keeps every guarantee`() async throws {
    let (shelf, world) = Shelf.makeWorld()
    let report = try await checkConformance(of: ShelfCursorTarget(shelf), in: world)
    #expect(report.holds, "\(report)")
    #expect(report.inapplicable == [], "\(report)")
  }

  static let faults: [(DownFault, Set<ConformanceGuarantee>)] = [
    (.placeholder, [.downEmpty]),
    (
      .losesLast,
      [
        .downComplete, .downEqualDates, .downPagingChange, .downResume, .downIDs, .downTotalSize,
        .downCopies,
      ]
    ),
    (.repeatsBorder, [.downOnce, .downTotalSize]), (.comparesDates, [.downEqualDates]),
    (.addsSecond, [.downNewer, .downLateCommit]),
    (.countsServerTime, [.downLateCommit, .downResume]),
    (.byPosition, [.downPagingChange, .downPagingDeletion]), (.noOverlap, [.downLateCommit]),
    (.noDeletions, [.downDeletion]),
    (.bringsDeleted, [.downDeletion]), (.fewRemoteIDs, [.downGhosts]),
    (.allRemoteIDs, [.downGhosts]),
    (
      .checkpointAhead,
      [
        .downComplete, .downEqualDates, .downPagingChange, .downPagingDeletion, .downResume,
        .downIDs, .downTotalSize, .downCopies,
      ]
    ), (.emptyAfterExpiry, [.downExpiredCursor]), (.otherIDField, nameless), (.newIDs, nameless),
    (.otherDateField, [.downDates]), (.datesStay, [.downDates]), (.unsorted, [.downSorted]),
    (.wrongSize, [.downTotalSize]), (.throughDouble, [.downExact]), (.dropsField, [.downExact]),
    (.sharedPlace, [.downCopies]), (.failureIsEmpty, [.downUnavailable]),
    (.failureIsFinal, [.downUnavailable]), (.noRetryAfter, [.downRateLimit]),
    (.sessionIsNetwork, [.downAuthentication]),
    (.ignoresCancellation, [.downCancellation]),
    (
      .neverEnds,
      [
        .downComplete, .downOnce, .downEqualDates, .downNewer, .downPagingChange,
        .downPagingDeletion, .downLateCommit, .downDeletion, .downResume, .downIDs, .downDates,
        .downSorted, .downTotalSize, .downExact, .downCopies,
      ]
    ),
  ]

  /// What cannot hold for records that nobody knows again.
  static let nameless: Set<ConformanceGuarantee> = [
    .downComplete, .downEqualDates, .downPagingChange, .downLateCommit, .downDeletion, .downResume,
    .downIDs, .downDates, .downExact, .downCopies,
  ]

  @Test(arguments: faults)
  func `each fault of a target is found, and nothing else is said to fail`(
    fault: DownFault,
    guarantees: Set<ConformanceGuarantee>
  ) async throws {
    var (shelf, world) = Shelf.makeWorld()
    if fault == .noOverlap { world.options.overlap = .zero }
    if fault == .ignoresCancellation { world.patience = .seconds(1) }
    let report =
      switch fault {
      case .checkpointAhead, .emptyAfterExpiry:
        try await checkConformance(of: ShelfCursorTarget(shelf, fault), in: world)
      default: try await checkConformance(of: ShelfTarget(shelf, fault), in: world)
      }
    #expect(Set(report.failures.map(\.guarantee)) == guarantees, "\(report)")
    #expect(!report.holds)
  }

  @Test func `every fault is in the table, and every guarantee is broken by one`() {
    #expect(Set(Self.faults.map(\.0)) == Set(DownFault.allCases))
    #expect(Self.faults.reduce(into: []) { $0.formUnion($1.1) } == Set(ConformanceGuarantee.down))
  }

  @Test func `the example is the smallest, and names records, calls and what helps`() async throws {
    let (shelf, world) = Shelf.makeWorld()
    let report = try await checkConformance(of: ShelfTarget(shelf, .comparesDates), in: world)
    let finding = try #require(report.failures.first)
    guard case .fails(let example) = finding.verdict else {
      Issue.record("no example: \(report)")
      return
    }
    // Two fit in one page; the third of the same date is lost at its border.
    #expect(example.records.count == 3)
    #expect(example.calls.filter { $0.hasPrefix("server creates") }.count == 3)
    #expect(example.calls.contains { $0.hasPrefix("startFetch(maxTimeStamp: -1) → [\"r") })
    #expect(example.calls.last == "continueFetch() → nil")
    #expect(example.came == "all but [\"\(example.records[2])\"]")
    #expect(finding.advice?.contains("let pages grow to more than the records of one date") == true)
  }

  @Test func `overlap is advised for late commits when it helps, and ghosts for deletions`()
    async throws
  {
    var (shelf, world) = Shelf.makeWorld()
    world.options.overlap = .zero
    let late = try await checkConformance(of: ShelfTarget(shelf), in: world)
    #expect(late.failures.first?.advice?.hasPrefix("SyncOptions.overlap of") == true, "\(late)")
    var silent = ShelfTarget(shelf)
    silent.tellsDeletions = false
    world.options.overlap = .seconds(3)
    let ghosts = try await checkConformance(of: silent, in: world)
    let deletion = ghosts.findings.first { $0.guarantee == .downDeletion }
    #expect(ghosts.holds, "\(ghosts)")
    #expect(deletion?.advice?.contains("cleanResyncGhosts") == true, "\(ghosts)")
  }

  @Test(arguments: [Duration.zero, .seconds(3)])
  func `a server whose dates are too coarse for two changes holds with overlap alone`(
    overlap: Duration
  ) async throws {
    var (shelf, world) = Shelf.makeWorld()
    world.options.overlap = overlap
    world.change = { [shelf] id, fields in
      shelf.edit { state in
        guard let entry = state.entries[id], var record = entry.record else { return }
        record.assign(fields)
        state.write(record, id, entry.date)
      }
    }
    let report = try await checkConformance(of: ShelfTarget(shelf), in: world)
    let finding = report.findings.first { $0.guarantee == .downDates }
    #expect((finding?.verdict == .holds) == (overlap > .zero), "\(report)")
    #expect(finding?.advice?.contains("SyncOptions.overlap") == true, "\(report)")
  }

  @Test func `what the world throws ends the check, also from inside a page`() async throws {
    struct Broken: Error {}
    var (shelf, world) = Shelf.makeWorld()
    world.change = { _, _ in throw Broken() }
    let target = ShelfTarget(shelf)
    await #expect(throws: Broken.self) { try await checkConformance(of: target, in: world) }
  }

  @Test func `a world that can do nothing makes every guarantee inapplicable, and says why`()
    async throws
  {
    let (shelf, _) = Shelf.makeWorld()
    let report = try await checkConformance(
      of: ShelfTarget(shelf),
      in: ConformanceWorld(collection: "notes")
    )
    #expect(report.holds)
    #expect(report.inapplicable == ConformanceGuarantee.down, "\(report)")
    #expect(report.description.contains("ConformanceWorld.create"))
  }
}

extension ConformanceReport {
  /// The guarantees that were not tried.
  var inapplicable: [ConformanceGuarantee] {
    findings.filter { if case .notApplicable = $0.verdict { true } else { false } }
      .map(\.guarantee)
  }
}
