/// Whether a guarantee holds.
public enum ConformanceVerdict: Sendable, Equatable {
  /// It does.
  case holds
  /// It does not, as this example shows.
  case fails(ConformanceExample)
  /// It was not tried, for this reason.
  case notApplicable(reason: String)
}
