import OfflineSync
import Testing

struct JournalFormatTests {
  private func text(_ transaction: JournalTransaction) -> String {
    String(decoding: transaction.bytes, as: UTF8.self)
  }

  @Test func `a record's line is written as the format says`() {
    var transaction = JournalTransaction()
    transaction.begin(JournalKind.record)
    transaction.add(2)
    transaction.add(RecordID("0010001"))
    transaction.add(17)
    transaction.add(4)
    transaction.add(raw: Array(#"{"Id":"0010001","Name":"Anna"}"#.utf8)[...])
    let line = transaction.end()
    #expect(
      text(transaction)
        == #"["1023a7fc00000035","r",2,"0010001",17,4,{"Id":"0010001","Name":"Anna"}]"# + "\n"
    )
    #expect(line == JournalLine(offset: 0, byteCount: 73, headByteCount: 41))
    #expect(line.bodyByteCount == 30)
    #expect(transaction.lineCount == 1)
  }

  @Test func `a store's files are written as the format says`() throws {
    let test = TestJournal()
    try test.make([["1"]])
    #expect(
      String(decoding: try test.bytes(), as: UTF8.self) == """
        ["476ceea50000006a","h",{"format":"offlinesync","version":1,"minimumReader":1,\
        "store":"store-1","generation":1,"sequence":0}]
        ["6a93128e00000014","e",0,0,"476ceea5"]
        ["98f961de00000009","r",1,1]
        ["affeb4bb00000014","e",1,1,"20cec88b"]

        """
    )
    #expect(
      String(decoding: try test.files.read("/state/FORMAT.json"), as: UTF8.self)
        == #"{"format":"offlinesync","version":1,"minimumReader":1,"store":"store-1"}"# + "\n"
    )
    #expect(try test.files.list("/state") == ["FORMAT.json", "LOCK", "journal-1.jsonl"])
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 1_234_567_890, -1, -10, .max, .min])
  func `an integer is read as it was written`(_ number: Int64) throws {
    var transaction = JournalTransaction()
    transaction.begin(JournalKind.owner)
    transaction.add(number)
    transaction.add(number)
    let line = transaction.end()
    #expect(text(transaction).contains(#""o",\#(number),\#(number)]"#))
    let bytes = transaction.bytes.span.extracting(0..<line.byteCount - 1)
    var fields = JournalFields()
    let first = try fields.integer(in: bytes)
    let isAtEnd = fields.isAtEnd(of: bytes)
    let second = try fields.integer(in: bytes)
    let isAtEndThen = fields.isAtEnd(of: bytes)
    #expect([first, second] == [number, number])
    #expect([isAtEnd, isAtEndThen] == [false, true])
  }

  @Test(arguments: [
    "", "plain", "\"", "\\", "a\\", "\n\r\t\u{8}\u{c}\u{0}\u{1f}", "é", "e\u{301}", "🦉", "],\"",
  ])
  func `a text is read as it was written`(_ value: String) throws {
    var transaction = JournalTransaction()
    transaction.begin(JournalKind.attachment)
    transaction.add(value)
    transaction.add(json: [.null, "x"])
    let line = transaction.end()
    let bytes = transaction.bytes.span.extracting(0..<line.byteCount - 1)
    var fields = JournalFields()
    let read = try fields.text(in: bytes)
    #expect(Array(read.utf8) == Array(value.utf8))
    #expect(fields.position + 1 == line.headByteCount)
    let body = try fields.body(in: bytes)
    #expect(body.count == line.bodyByteCount)
    #expect(Array(transaction.bytes[body]) == Array(#"[null,"x"]"#.utf8))
  }

  @Test(arguments: [
    RecordID("1"), RecordID("1", isNumber: true), RecordID("1.0e3", isNumber: true),
    RecordID("a\"b"),
  ])
  func `an id keeps its form on the wire`(_ id: RecordID) throws {
    var transaction = JournalTransaction()
    transaction.begin(JournalKind.gone)
    transaction.add(id)
    let line = transaction.end()
    let bytes = transaction.bytes.span.extracting(0..<line.byteCount - 1)
    var fields = JournalFields()
    let read = try fields.id(in: bytes)
    #expect(read == id)
    #expect(read.isNumber == id.isNumber)
    let isAtEnd = fields.isAtEnd(of: bytes)
    #expect(isAtEnd)
  }

  @Test(arguments: [
    #""r""#, #""r","x""#, #""r",1.5"#, #""r",-"#, #""r",92233720368547758070"#, #""r",1x"#,
  ])
  func `what is no integer is refused`(_ content: String) {
    let line = Array(#"["0000000000000000",\#(content)]"#.utf8)
    #expect(throws: JournalLineError.self) {
      var fields = JournalFields()
      return try fields.integer(in: line.span)
    }
  }

  @Test(arguments: [#""r""#, #""r",{}"#, #""r",[1]"#, #""r","open"#, #""r","a"b"#, #""r",,1"#])
  func `what is no token is refused`(_ content: String) {
    let line = Array(#"["0000000000000000",\#(content)]"#.utf8)
    #expect(throws: JournalLineError.self) {
      var fields = JournalFields()
      return try fields.token(in: line.span)
    }
  }

  @Test func `a transaction that failed keeps its lines`() throws {
    let test = TestJournal()
    try test.make([])
    var transcript = Transcript()
    var reader = try Journal.openReader(test.directory, visitor: &transcript)
    var transaction = JournalTransaction(bodies: ["1", "2"])
    let bytes = transaction.bytes
    #expect(throws: SyncError(.storeLocked, "")) { try reader.commit(&transaction) }
    #expect(transaction.bytes == bytes)
    #expect(transaction.lineCount == 2)
  }
}
