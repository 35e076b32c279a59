/// A quick 64-bit hash of bytes for tables in memory; it is never stored, so it may change.
///
/// A product folds sixteen bytes, as in wyhash; in a long text two chains of them run side by side.
package func byteHash(_ bytes: Span<UInt8>) -> UInt64 {
  let count = bytes.count
  var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count)
  var position = 0
  if count >= 64 {
    var other = hash
    while count &- position >= 32 {
      hash = folded(bytes.word(at: position) ^ factor, bytes.word(at: position &+ 8) ^ hash)
      other = folded(
        bytes.word(at: position &+ 16) ^ factor,
        bytes.word(at: position &+ 24) ^ other
      )
      position &+= 32
    }
    hash = folded(hash, other ^ factor)
  }
  while count &- position >= 16 {
    hash = folded(bytes.word(at: position) ^ factor, bytes.word(at: position &+ 8) ^ hash)
    position &+= 16
  }
  if count &- position >= 8 {
    hash = folded(bytes.word(at: position) ^ factor, hash)
    position &+= 8
  }
  var rest: UInt64 = 0
  while position < count {
    rest = rest &<< 8 | UInt64(bytes[position])
    position &+= 1
  }
  return folded(folded(rest ^ factor, hash), factor)
}

private let factor: UInt64 = 0x9FB2_1C65_1E98_DF25

@inline(__always)
private func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
  let product = left.multipliedFullWidth(by: right)
  return product.high ^ product.low
}
