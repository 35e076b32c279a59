import OfflineSync

/// One check of one guarantee: it answers advice or nil, and throws a `ConformanceViolation`, a
/// `ConformanceInapplicable`, or what the world threw.
struct ConformanceCheck<Lab: Sendable>: Sendable {
  let guarantee: ConformanceGuarantee
  let body: @Sendable (Lab) async throws -> String?

  init(_ guarantee: ConformanceGuarantee, _ body: @escaping @Sendable (Lab) async throws -> String?)
  {
    self.guarantee = guarantee
    self.body = body
  }
}
