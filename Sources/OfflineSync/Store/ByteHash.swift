/// A quick 64-bit hash of bytes for tables in memory; it is never stored, so it may change.
package func byteHash(_ bytes: Span<UInt8>) -> UInt64 {
  var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: bytes.count)
  var position = 0
  while position &+ 8 <= bytes.count {
    let word = bytes.extracting(position..<(position &+ 8))
    let low =
      UInt64(word[0]) | UInt64(word[1]) &<< 8 | UInt64(word[2]) &<< 16 | UInt64(word[3]) &<< 24
    let high =
      UInt64(word[4]) | UInt64(word[5]) &<< 8 | UInt64(word[6]) &<< 16 | UInt64(word[7]) &<< 24
    hash = mixed(hash ^ (low | high &<< 32))
    position &+= 8
  }
  var rest: UInt64 = 0
  while position < bytes.count {
    rest = rest &<< 8 | UInt64(bytes[position])
    position &+= 1
  }
  return mixed(mixed(hash ^ rest))
}

private func mixed(_ value: UInt64) -> UInt64 {
  let product = value &* 0x9FB2_1C65_1E98_DF25
  return product ^ (product &>> 29) ^ (product &>> 47)
}
