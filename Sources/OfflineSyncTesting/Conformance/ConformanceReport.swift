/// What a conformance check found, guarantee by guarantee; `description` is made to be read.
public struct ConformanceReport: Sendable, Equatable {
  /// The type that was checked.
  public let subject: String
  /// The seed that gave the order of the checks.
  public let seed: UInt64
  /// One finding a guarantee, in the order of ``ConformanceGuarantee/all``.
  public let findings: [ConformanceFinding]

  init(subject: String, seed: UInt64, findings: [ConformanceFinding]) {
    self.subject = subject
    self.seed = seed
    self.findings = findings
  }

  /// The findings of guarantees that fail.
  public var failures: [ConformanceFinding] {
    findings.filter { if case .fails = $0.verdict { true } else { false } }
  }

  /// Whether no guarantee fails; those that are not applicable do not count.
  public var holds: Bool { failures.isEmpty }

  /// The verdict on one guarantee; nil: it is not among those of this kind of target.
  public subscript(guarantee: ConformanceGuarantee) -> ConformanceVerdict? {
    findings.first { $0.guarantee == guarantee }?.verdict
  }
}

extension ConformanceReport: CustomStringConvertible {
  /// The failures with their examples first, then what was not applicable, then what holds.
  public var description: String {
    let others = findings.count - failures.count
    let inapplicable = findings.filter {
      if case .notApplicable = $0.verdict { true } else { false }
    }
    let held = findings.filter { $0.verdict == .holds }
    let title =
      "\(subject): \(failures.count) of \(findings.count) guarantees fail,"
      + " \(others - inapplicable.count) hold, \(inapplicable.count) not applicable (seed \(seed))"
    return ([title] + (failures + inapplicable + held).map(\.description)).joined(separator: "\n")
  }
}
