import OfflineSync
import OfflineSyncTesting
import Testing

/// Inputs that fuzzing has found, and others of their kind.
@Suite(.timeLimit(.minutes(15)))
struct FoundInputTests {
  @Test(arguments: [
    "[\u{1F}]", "[{}, 7\u{0}, {}]", "[{\"Id\":\"\"}\u{1F}]", "[\u{17} ]", "[1 \u{B} ,2]",
    #"{"records":3,"records":[{"Id":"a"}],"n":[]}"#, #"{"records":[{"Id":"a"}],"records":{}}"#,
    #"{"records":[7,{"Id":"a"}],"records":[{"Id":"b"}]}"#, "[{},]", #"{"records":["Id":1.0,]}"#,
  ]) func `a page loses no byte of what is malformed, and of equal keys the last counts`(
    text: String
  ) async throws {
    if let page = try PageFuzz.check(Array(text.utf8)) { try await PageFuzz.checkLanding(page) }
  }

  @Test func `a last write that lost any of its sectors is cut short to the doctor too`()
    async throws
  {
    let sample = try #require(try await JournalCorpus().samples.last)
    for (start, end) in zip(sample.ends, sample.ends.dropFirst()) {
      let bytes = Array(sample.bytes.prefix(end))
      for sector in stride(from: start / 512 * 512, to: end, by: 512) {
        var torn = bytes
        for index in max(start, sector)..<min(end, sector + 512) { torn[index] = 0 }
        try await JournalFuzz.check(torn, sample)
      }
    }
  }

  @Test func `a last write without one of its lines and without its end never happened`()
    async throws
  {
    let sample = try #require(try await JournalCorpus().samples.last)
    for (start, end) in zip(sample.ends, sample.ends.dropFirst()) {
      let newline = UInt8(ascii: "\n")
      let lines = sample.bytes[start..<end].split(separator: newline).dropLast()
        .map { Array($0) + [newline] }
      for missing in lines.indices {
        let rest = lines.indices.filter { $0 != missing }.flatMap { lines[$0] }
        try await JournalFuzz.check(Array(sample.bytes[..<start]) + rest, sample)
      }
    }
  }

  struct Nonsense: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Begins the first line that is changed.
    let beginning: String
    let text: String
    /// What takes the text's place; nil: the line is left out.
    let replacement: String?

    init(_ name: String, _ beginning: String, _ text: String, _ replacement: String?) {
      testDescription = name
      self.beginning = beginning
      self.text = text
      self.replacement = replacement
    }
  }

  @Test(arguments: [
    Nonsense("a commit number is left out", #""e",7"#, ",7,", ",8,"),
    Nonsense("a commit number comes twice", #""e",7"#, ",7,", ",6,"),
    Nonsense("a commit number is the highest", #""e",7"#, ",7,", ",9223372036854775807,"),
    Nonsense(
      "the first commit number is the highest",
      #""h""#,
      #""sequence":0"#,
      #""sequence":9223372036854775807"#
    ),
    Nonsense("a collection is not defined", #""c",2"#, "", nil),
    Nonsense("the first collection is not defined", #""c",1"#, "", nil),
    Nonsense(
      "a collection's number is the highest",
      #""r",1"#,
      #""r",1"#,
      #""r",9223372036854775807"#
    ),
    Nonsense("a collection's number is negative", #""r",1"#, #""r",1"#, #""r",-1"#),
    Nonsense("a defined number is the highest", #""c",2"#, #""c",2"#, #""c",9223372036854775807"#),
    Nonsense("a version is the highest", #""r",1,"a""#, #""a",0"#, #""a",9223372036854775807"#),
    Nonsense(
      "an edit's version is the highest",
      #""l",1,"a""#,
      #""a",2"#,
      #""a",9223372036854775807"#
    ),
    Nonsense("a version is negative", #""r",1,"a""#, #""a",0"#, #""a",-1"#),
    Nonsense("a sync's number is the highest", #""y",1"#, #""y",1"#, #""y",9223372036854775807"#),
    Nonsense(
      "an owner's number is the highest",
      #""r",1,"a""#,
      #""a",0,1"#,
      #""a",0,9223372036854775807"#
    ),
    Nonsense("attempts are the highest number", #""s",1"#, ",1,0,", ",9223372036854775807,0,"),
    Nonsense("a record is nothing but its operation", #""l",1,"local_id-2""#, "", nil),
  ]) func `a journal that says nonsense under right checksums is refused and repaired, or opens`(
    nonsense: Nonsense
  ) async throws {
    let sample = try #require(try await JournalCorpus().samples.first)
    var lines = SealedFuzz.lines(of: sample.bytes).map { String(decoding: $0, as: UTF8.self) }
    let place = try #require(lines.firstIndex { $0.hasPrefix(nonsense.beginning) })
    if let replacement = nonsense.replacement {
      let range = try #require(lines[place].firstRange(of: nonsense.text))
      lines[place].replaceSubrange(range, with: replacement)
    } else {
      lines.remove(at: place)
    }
    try await SealedFuzz.check(SealedFuzz.sealed(lines.map { Array($0.utf8) }), sample)
  }
}
