/// What was found about one guarantee.
public struct ConformanceFinding: Sendable, Equatable {
  /// Which one.
  public let guarantee: ConformanceGuarantee
  /// Whether it holds.
  public let verdict: ConformanceVerdict
  /// What helps: an option of the sync, another call of the library, or a change of the target; also of
  /// one that holds, where it holds only with that.
  public let advice: String?

  init(_ guarantee: ConformanceGuarantee, _ verdict: ConformanceVerdict, advice: String? = nil) {
    self.guarantee = guarantee
    self.verdict = verdict
    self.advice = advice
  }
}

extension ConformanceFinding: CustomStringConvertible {
  /// One line, or, of a failure, the example too.
  public var description: String {
    switch verdict {
    case .holds:
      "  holds  \(guarantee)" + (advice.map { "; \($0)" } ?? "")
    case .notApplicable(let reason):
      "  n/a    \(guarantee.name): \(reason)"
    case .fails(let example):
      ([
        "  FAILS  \(guarantee)", "         expected  \(example.expected)",
        "         came      \(example.came)",
      ] + Self.block("records", example.records) + Self.block("calls", example.calls)
        + Self.block("helps", advice.map { [$0] } ?? [])).joined(separator: "\n")
    }
  }

  private static func block(_ name: String, _ lines: [String]) -> [String] {
    lines.enumerated().map { index, line in
      let label = index == 0 ? name : ""
      return "         " + label + String(repeating: " ", count: 10 - label.utf8.count) + line
    }
  }
}
