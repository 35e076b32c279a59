import OfflineSync
import OfflineSyncHTTP
import Testing

/// How queries are taken apart and put together; nothing is sent.
struct SOQLQueryTests {
  /// Since 2026-01-02T03:04:05.678Z.
  static let time: Int64 = 1_767_323_045_678
  static let since = "LastModifiedDate >= 2026-01-02T03:04:05.000Z"

  static let queries: [(query: String, first: String, later: String)] = [
    (
      "SELECT Name FROM Account",
      "SELECT Name, Id, LastModifiedDate FROM Account ORDER BY LastModifiedDate",
      "SELECT Name, Id, LastModifiedDate FROM Account WHERE \(since) ORDER BY LastModifiedDate"
    ),
    (
      "select id,lastmodifieddate from Account",
      "SELECT id, lastmodifieddate FROM Account ORDER BY LastModifiedDate",
      "SELECT id, lastmodifieddate FROM Account WHERE \(since) ORDER BY LastModifiedDate"
    ),
    (
      "SELECT Id, LastModifiedDate FROM Account WHERE A = 1 OR B = 2",
      "SELECT Id, LastModifiedDate FROM Account WHERE A = 1 OR B = 2 ORDER BY LastModifiedDate",
      "SELECT Id, LastModifiedDate FROM Account WHERE \(since) AND (A = 1 OR B = 2) ORDER BY LastModifiedDate"
    ),
    (
      "SELECT Id, LastModifiedDate FROM Account WHERE (A = 1 OR (B = 2 AND C IN ('x', 'y'))) ORDER BY Name DESC LIMIT 5",
      "SELECT Id, LastModifiedDate FROM Account WHERE (A = 1 OR (B = 2 AND C IN ('x', 'y'))) ORDER BY Name DESC LIMIT 5",
      "SELECT Id, LastModifiedDate FROM Account WHERE \(since) AND ((A = 1 OR (B = 2 AND C IN ('x', 'y')))) ORDER BY Name DESC LIMIT 5"
    ),
    (
      #"SELECT Id, LastModifiedDate FROM Account WHERE Name = ' where \' order by ) limit 3 ' ORDER BY Name"#,
      #"SELECT Id, LastModifiedDate FROM Account WHERE Name = ' where \' order by ) limit 3 ' ORDER BY Name"#,
      "SELECT Id, LastModifiedDate FROM Account WHERE \(since)"
        + #" AND (Name = ' where \' order by ) limit 3 ') ORDER BY Name"#
    ),
    (
      "SELECT Id, LastModifiedDate, (SELECT Id FROM Contacts WHERE X = 1 ORDER BY Name LIMIT 2), Owner.Name FROM Account",
      "SELECT Id, LastModifiedDate, (SELECT Id FROM Contacts WHERE X = 1 ORDER BY Name LIMIT 2), Owner.Name FROM Account ORDER BY LastModifiedDate",
      "SELECT Id, LastModifiedDate, (SELECT Id FROM Contacts WHERE X = 1 ORDER BY Name LIMIT 2), Owner.Name FROM Account WHERE \(since) ORDER BY LastModifiedDate"
    ),
    (
      "SELECT Order_By__c, Where__c, Id, LastModifiedDate FROM Order WHERE Group.Name != null",
      "SELECT Order_By__c, Where__c, Id, LastModifiedDate FROM Order WHERE Group.Name != null ORDER BY LastModifiedDate",
      "SELECT Order_By__c, Where__c, Id, LastModifiedDate FROM Order WHERE \(since) AND (Group.Name != null) ORDER BY LastModifiedDate"
    ),
    (
      "SELECT a.Id, a.LastModifiedDate FROM Account a USING SCOPE mine WHERE a.X = 1 WITH SECURITY_ENFORCED\nORDER\n BY a.LastModifiedDate FOR VIEW",
      "SELECT a.Id, a.LastModifiedDate FROM Account a USING SCOPE mine WHERE a.X = 1 WITH SECURITY_ENFORCED ORDER BY a.LastModifiedDate FOR VIEW",
      "SELECT a.Id, a.LastModifiedDate FROM Account a USING SCOPE mine WHERE \(since) AND (a.X = 1) WITH SECURITY_ENFORCED ORDER BY a.LastModifiedDate FOR VIEW"
    ),
    (
      "SELECT FIELDS(STANDARD) FROM Account LIMIT 200",
      "SELECT FIELDS(STANDARD) FROM Account ORDER BY LastModifiedDate LIMIT 200",
      "SELECT FIELDS(STANDARD) FROM Account WHERE \(since) ORDER BY LastModifiedDate LIMIT 200"
    ),
    (
      "SELECT toLabel(Status), FIELDS(CUSTOM) FROM Case",
      "SELECT toLabel(Status), FIELDS(CUSTOM), Id, LastModifiedDate FROM Case ORDER BY LastModifiedDate",
      "SELECT toLabel(Status), FIELDS(CUSTOM), Id, LastModifiedDate FROM Case WHERE \(since) ORDER BY LastModifiedDate"
    ),
  ]

  @Test(arguments: queries)
  func `A query gets id, date, order, and the newer ones with its own condition in parentheses`(
    query: String,
    first: String,
    later: String
  ) throws {
    let soql = try SOQLQuery(query)
    #expect(Self.fetch(soql, -1) == first)
    #expect(Self.fetch(soql, Self.time) == later)
    #expect(Self.fetch(try SOQLQuery(first), -1) == first, "what is complete stays as it is")
  }

  private static func fetch(_ soql: SOQLQuery, _ time: Int64) -> String {
    soql.fetch(idField: "Id", dateField: "LastModifiedDate", maxTimeStamp: time)
  }

  @Test(arguments: [
    ("SELECT Name FROM Account", "SELECT Id FROM Account WHERE Id IN ('a','b')"),
    (
      "SELECT Name FROM Account WHERE A = 1 OR B = 2 ORDER BY Name LIMIT 1",
      "SELECT Id FROM Account WHERE Id IN ('a','b') AND (A = 1 OR B = 2)"
    ),
    (
      "SELECT Name, (SELECT Id FROM Contacts) FROM Account WITH SECURITY_ENFORCED FOR VIEW",
      "SELECT Id FROM Account WHERE Id IN ('a','b') WITH SECURITY_ENFORCED"
    ),
  ])
  func `The ids of ghosts are asked for without limit and order`(query: String, ids: String) throws
  {
    #expect(try SOQLQuery(query).ids(["a", "b"], idField: "Id") == ids)
  }

  @Test(arguments: [
    "", "UPDATE Account", "SELECT", "SELECT Id", "SELECT Id FROM", "SELECT FROM Account",
    "SELECT Id FROM WHERE A = 1",
    "SELECT Id, FROM Account", "SELECT Id FROM Account WHERE", "SELECT Id FROM Account ORDER BY",
    "SELECT Id FROM Account WHERE Name = 'x", "SELECT Id FROM Account WHERE (A = 1",
    "SELECT Id FROM Account WHERE A = 1)", "SELECT Name, COUNT(Id) FROM Account GROUP BY Name",
    "SELECT COUNT() FROM Account", "SELECT max ( Amount ) FROM Opportunity",
    "SELECT Name FROM Account group  by Name HAVING COUNT(Id) > 1",
    "SELECT Id FROM Account LIMIT 5 OFFSET 5", "SELECT Id FROM Account FOR UPDATE",
    "SELECT Id FROM Account ALL ROWS", "SELECT Id FROM Account UPDATE TRACKING",
  ])
  func `A query that cannot be synced is refused`(query: String) {
    #expect(throws: SyncError(.configInvalid, "")) { try SOQLQuery(query) }
  }

  @Test(arguments: [
    ("", true), (" ORDER BY LastModifiedDate", true), (" ORDER BY lastmodifieddate ASC, Id", true),
    (" ORDER BY c.LastModifiedDate NULLS LAST", true), (" ORDER BY Contact.LastModifiedDate", true),
    (" ORDER BY LastModifiedDate DESC", false), (" ORDER BY Name, LastModifiedDate", false),
    (" ORDER BY Owner.LastModifiedDate", false),
  ])
  func `A query is sorted when it has no order, or begins with the modification date`(
    order: String,
    isSorted: Bool
  ) throws {
    let soql = try SOQLQuery("SELECT Id FROM Contact c\(order)")
    #expect(soql.isSorted(by: "LastModifiedDate") == isSorted)
  }

  @Test(arguments: [
    ("", "''"), ("O'Hara", #"'O\'Hara'"#), (#"\' OR Id != '"#, #"'\\\' OR Id != \''"#),
    ("a\nb\r\t\u{1}", #"'a\nb\r\t\u0001'"#), ("Zoë 👩‍🚀", "'Zoë 👩‍🚀'"),
  ])
  func `A text cannot end its own quotes`(text: String, quoted: String) {
    #expect(SOQLText.quoted(text) == quoted)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (999, "1970-01-01T00:00:00.000Z"),
      (1000, "1970-01-01T00:00:01.000Z"), (-1, "1969-12-31T23:59:59.000Z"),
      (-1000, "1969-12-31T23:59:59.000Z"),
    ] as [(Int64, String)]
  )
  func `A date is asked for from the start of its second`(time: Int64, text: String) {
    #expect(SOQLText.second(of: time) == text)
  }

  @Test(arguments: [(0, 3), (3000, 4), (9000, 28), (50_000, 28)])
  func `Ids are cut into slices that an address can hold beside the query, none lost`(
    byteCount: Int,
    sliceCount: Int
  ) {
    let ids = (0..<1000).map {
      RecordID("003\(String(repeating: "x", count: 12))\($0 % 900 + 100)")
    }
    let query = String(repeating: "x", count: byteCount)
    let slices = SOQLText.slices(ids, of: query)
    #expect(slices.flatMap(\.self) == ids && slices.count == sliceCount, "\(slices.count)")
    #expect(SOQLText.slices([], of: query).isEmpty)
    let long = RecordID(String(repeating: "é", count: 4000))
    #expect(SOQLText.slices([long, long], of: query).count == 2)
  }
}
