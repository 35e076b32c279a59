import OfflineSync
import Testing

struct JournalTests {
  @Test func `commits are read back in order`() throws {
    let test = TestJournal()
    let transactions = [["1", "2"], ["3"], [#"{"a":"é"}"#, "5", "6"]]
    try test.make(transactions)
    let transcript = try test.transcript()
    #expect(transcript.transactions == [[]] + transactions.map(lines))
    #expect(transcript.pending.isEmpty)
    #expect(try test.transcript() == transcript)
  }

  @Test func `a commit tells where its lines lie, and bodies are read from there`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    var transaction = JournalTransaction()
    var places: [JournalLine] = []
    for body in [#"{"a":1}"#, "null", #"{"b":[1,2]}"#] {
      transaction.begin(JournalKind.record)
      transaction.add(7)
      transaction.add(raw: Array(body.utf8)[...])
      places.append(transaction.end())
    }
    for sequence in 1...2 {
      var copy = transaction
      let start = try journal.commit(&copy)
      #expect(copy.bytes == transaction.bytes)
      #expect(journal.sequence == Int64(sequence))
      let bodies = try places.map {
        var place = $0
        place.offset += start
        return String(decoding: try journal.body(of: place), as: UTF8.self)
      }
      #expect(bodies == [#"{"a":1}"#, "null", #"{"b":[1,2]}"#])
    }
    try test.close(journal, lock)
  }

  @Test func `an empty transaction writes nothing`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    let bytes = try test.bytes()
    #expect(try journal.commit([]) == Int64(bytes.count))
    #expect(try test.bytes() == bytes)
    #expect(journal.sequence == 0)
    try test.close(journal, lock)
  }

  @Test func `lines longer than a chunk are read`() throws {
    let test = TestJournal()
    let long = "\"" + String(repeating: "x", count: 600_000) + "\""
    let transactions = [["1", long, "2"], [long], ["3"]]
    try test.make(transactions)
    #expect(try test.transcript().transactions == [[]] + transactions.map(lines))
    #expect(try JournalDoctor.verify(test.directory).isEmpty)
  }

  @Test func `a body that was changed on disk is reported with file and offset`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    var transaction = JournalTransaction(bodies: [#"{"a":1}"#])
    let byteCount = transaction.bytes.count
    let start = try journal.commit(&transaction)
    let file = try test.files.open(test.directory.journalPath(1), .readWrite)
    try file.write([UInt8(ascii: "2")], at: start + Int64(byteCount) - 4)
    let place = JournalLine(offset: start, byteCount: byteCount, headByteCount: 26)
    let error = #expect(throws: SyncError(.storeCorrupt, "")) { try journal.body(of: place) }
    #expect(error?.message.contains("/state/journal-1.jsonl is damaged at byte \(start)") == true)
    try test.close(journal, lock)
  }

  @Test(arguments: [true, false])
  func `a line that the visitor cannot read is damage at its place`(_ isJSON: Bool) throws {
    struct Picky: JournalVisitor {
      var isJSON: Bool
      mutating func reset() {}
      mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
        guard JournalFields.kind(of: line) == JournalKind.record else { return }
        var fields = JournalFields()
        _ = isJSON ? try JSON(parsing: "{").text : try fields.text(in: line)
      }
    }
    let test = TestJournal()
    try test.make([["1"]])
    let lock = try #require(try test.directory.acquireLock(processID: 1))
    var picky = Picky(isJSON: isJSON)
    let error = #expect(throws: SyncError(.storeCorrupt, "")) {
      _ = try Journal.open(test.directory, makeStoreID: { "" }, visitor: &picky)
    }
    #expect(error?.message.contains("/state/journal-1.jsonl is damaged at byte") == true)
    try lock.release()
  }
}
