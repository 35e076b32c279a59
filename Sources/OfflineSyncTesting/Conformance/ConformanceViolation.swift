/// A guarantee does not hold.
struct ConformanceViolation: Error {
  var records: [String] = []
  let expected: String
  let came: String
  var advice: String?
}

/// A guarantee cannot be tried.
struct ConformanceInapplicable: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// A closure of the world threw, which is nobody's fault but the test's.
struct ConformanceWorldFailure: Error {
  let underlying: any Error
}
