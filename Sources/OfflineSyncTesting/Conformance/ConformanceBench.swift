import OfflineSync

/// Runs checks in the order that a seed gives, so that none leans on the one before.
struct ConformanceBench: Sendable {
  let world: ConformanceWorld
  let seed: UInt64

  /// One finding a check, in the order of the checks.
  ///
  /// - Parameters:
  ///   - checks: What to run.
  ///   - makeLab: A new laboratory on a log, for each check.
  /// - Returns: The findings.
  /// - Throws: What the world threw; `CancellationError`.
  func run<Lab: Sendable>(
    _ checks: [ConformanceCheck<Lab>],
    in makeLab: (ConformanceLog) async throws -> Lab
  ) async throws -> [ConformanceFinding] {
    var random = SeededRandom(seed: seed)
    var findings: [Int: ConformanceFinding] = [:]
    for index in checks.indices.shuffled(using: &random) {
      try Task.checkCancellation()
      let log = ConformanceLog()
      do {
        if let empty = world.empty { try await empty() }
        let lab = try await makeLab(log)
        findings[index] = try await finding(of: checks[index], in: lab, log)
      } catch let error as ConformanceWorldFailure {
        throw error.underlying
      }
    }
    return checks.indices.compactMap { findings[$0] }
  }

  private func finding<Lab>(
    of check: ConformanceCheck<Lab>,
    in lab: Lab,
    _ log: ConformanceLog
  ) async throws -> ConformanceFinding {
    do {
      let advice = try await check.body(lab)
      try log.throwWorldFailure()
      return ConformanceFinding(check.guarantee, .holds, advice: advice)
    } catch let error as ConformanceInapplicable {
      try log.throwWorldFailure()
      return ConformanceFinding(check.guarantee, .notApplicable(reason: error.reason))
    } catch let error as ConformanceWorldFailure {
      throw error
    } catch {
      try Task.checkCancellation()
      try log.throwWorldFailure()
      let violation =
        error as? ConformanceViolation
        ?? ConformanceViolation(expected: "an answer", came: "the error \(error)")
      return ConformanceFinding(
        check.guarantee,
        .fails(
          ConformanceExample(
            records: violation.records,
            calls: log.lines,
            expected: violation.expected,
            came: violation.came
          )
        ),
        advice: violation.advice
      )
    }
  }
}
