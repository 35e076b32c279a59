import OfflineSync
import OfflineSyncTesting
import Testing

struct SHA256Tests {
  /// The examples that NIST publishes with FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
        + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `the published texts have the published hashes`(text: String, digest: String) {
    #expect(SHA256.hexDigest(of: Array(text.utf8)) == digest)
  }

  @Test func `a million letters a have the published hash`() {
    var hash = SHA256()
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 10_000)
    for _ in 0..<100 { hash.update(letters.span) }
    #expect(
      hash.hexDigest == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  }

  @Test(arguments: [1, 7, 55, 56, 63, 64, 65, 119, 128, 129, 500])
  func `how the bytes are cut does not count`(size: Int) {
    var random = SeededRandom(seed: UInt64(size))
    let bytes = (0..<500).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    var hash = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) {
      hash.update(bytes[start..<min(start + size, bytes.count)].span)
      _ = hash.hexDigest
    }
    #expect(hash.hexDigest == SHA256.hexDigest(of: bytes))
  }

  @Test func `a hash is 64 lower-case digits`() {
    let good = String(repeating: "0f", count: 32)
    #expect(SHA256.isHexDigest(good))
    for text in ["", String(good.dropLast()), good + "0", good.uppercased(), "\(good.dropLast())g"]
    {
      #expect(!SHA256.isHexDigest(text))
    }
  }
}
