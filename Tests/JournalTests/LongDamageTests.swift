import OfflineSync
import Testing

/// Damage that is longer than what is read at a time, and headers where none belongs.
struct LongDamageTests {
  @Test func `a long stretch of nonsense is one finding of all its bytes`() throws {
    let test = TestJournal()
    try test.make([["1"], ["2"]])
    let bytes = try test.bytes()
    let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
    let nonsense = [UInt8](repeating: UInt8(ascii: "x"), count: 700_000) + [UInt8(ascii: "\n")]
    try test.write(Array(bytes[..<end]) + nonsense + Array(bytes[end...]))
    let findings = try JournalDoctor.verify(test.directory)
    #expect(findings.first?.offset == Int64(end))
    #expect(findings.first?.byteCount == Int64(nonsense.count))
  }

  @Test(.timeLimit(.minutes(15)))
  func `a long line with a wrong byte is damage`() async throws {
    let test = TestJournal()
    try test.make([["\"" + String(repeating: "y", count: 600_000) + "\""], ["2"]])
    var bytes = try test.bytes()
    bytes[300_000] = UInt8(ascii: "z")
    try test.write(bytes)
    #expect(throws: SyncError(.storeCorrupt, "")) { _ = try test.transcript() }
  }

  @Test func `a second header is named, and nothing on both sides of it is taken for one commit`()
    throws
  {
    let test = TestJournal()
    try test.make([["1"], ["2", "3"]])
    let bytes = try test.bytes()
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    // Between the lines of the last commit.
    let broken = lines.dropLast() + [lines[0]] + lines.suffix(1)
    try test.write(Array(broken.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")])
    let findings = try JournalDoctor.verify(test.directory)
    #expect(findings.map(\.reason).contains("a second header"))
    #expect(findings.map(\.reason).contains("commit 2 is not of the lines before it"))
  }

  @Test func `a writer follows nobody`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    #expect(try !journal.refresh(into: &transcript))
    try test.close(journal, lock)
  }
}
