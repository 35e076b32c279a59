/// The field `Content-Range` of an answer (RFC 9110, 14.4).
struct ContentRange: Sendable, Equatable {
  /// The bytes that it has; nil: none, as of status 416.
  let bounds: Range<Int64>?
  /// The size of the whole; nil: not told.
  let total: Int64?

  /// Reads `bytes 0-9/100`, `bytes 0-9/*` or `bytes */100`; nil: it is none of them.
  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    if parts[1] == "*" {
      total = nil
    } else {
      guard let number = HTTPNumber.parse(parts[1]) else { return nil }
      total = number
    }
    if parts[0] == "*" {
      bounds = nil
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard ends.count == 2, let first = HTTPNumber.parse(ends[0]),
      let last = HTTPNumber.parse(ends[1]), first <= last, last < Int64.max,
      last < total ?? .max
    else { return nil }
    bounds = first..<(last + 1)
  }
}

/// A number in a field of a head.
package enum HTTPNumber {
  /// A whole number of at least 0, in digits alone; nil: it is none.
  package static func parse(_ text: String) -> Int64? {
    guard !text.isEmpty,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
