extension Span<UInt8> {
  /// The eight bytes from here on as one number, the first of them lowest.
  ///
  /// Written so that it becomes one load.
  @inline(__always)
  package func word(at start: Int) -> UInt64 {
    let bytes = extracting(start..<start &+ 8)
    let low =
      UInt64(bytes[0]) | UInt64(bytes[1]) &<< 8 | UInt64(bytes[2]) &<< 16
      | UInt64(bytes[3]) &<< 24
    let high =
      UInt64(bytes[4]) | UInt64(bytes[5]) &<< 8 | UInt64(bytes[6]) &<< 16
      | UInt64(bytes[7]) &<< 24
    return low | high &<< 32
  }
}
