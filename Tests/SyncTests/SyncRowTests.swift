import OfflineSync
import Testing

struct SyncRowTests {
  private static let full: SyncRow = {
    var row = Rows.row(.failed, maxTimeStamp: 1_551_441_600_000)
    row.plan.relatedCollections = ["notes", "accounts"]
    row.plan.idField = "AcmeId"
    row.plan.dateField = "changed"
    row.plan.versionField = "etag"
    row.plan.options = SyncOptions(
      mergeMode: .merge,
      fieldlist: ["Name"],
      createFieldlist: [],
      updateFieldlist: ["Phone"],
      references: ["AccountId": "accounts", "ReportsTo": "contacts"],
      overlap: .milliseconds(1500),
      timeout: .zero,
      maxAttempts: 3
    )
    row.nextPlan = Rows.plan
    row.ghostsAdvised = true
    row.counts.fetched = 5
    row.counts.conflicts = 2
    row.problems = [
      Rows.problem(1),
      RecordProblem(
        name: "r2",
        failure: RecordFailure(
          code: "E",
          message: "m",
          isRetryable: true,
          retryAfter: .seconds(2),
          httpStatus: 429
        )
      ),
    ]
    row.checkpoint = ["next": 1.0]
    row.isMidFetch = true
    row.newestDate = 77
    return row
  }()

  static let rows = SyncStatus.allCases.map { Rows.row($0) } + [full]

  @Test(arguments: rows)
  func `a row comes back as it was written`(_ row: SyncRow) throws {
    var expected = row
    expected.run = 0
    let text = row.json.text
    #expect(try SyncRow(json: JSON(parsing: text), id: row.id) == expected)
  }

  @Test func `a run and what it knows are not written`() {
    var row = Rows.row(.running)
    let text = row.json.text
    row.run = 99
    row.fetch.counted = 12
    #expect(row.json.text == text)
    #expect(row.isStoredAlike(Rows.row(.running)))
    row.progress = 41
    #expect(!row.isStoredAlike(Rows.row(.running)))
  }

  @Test func `a row of a newer or older version opens`() throws {
    let row = try SyncRow(
      json: [
        "direction": "syncDown", "collection": "contacts", "target": ["type": "x"],
        "color": "blue", "status": "hibernating", "progress": "half", "totalSize": -9,
        "maxTimeStamp": JSON.null, "counts": [1], "problems": ["?", ["name": "a"]],
        "options": ["mergeMode": 4, "timeout": "long"], "failures": -2, "next": ["color": "red"],
      ],
      id: 4
    )
    #expect(row.id == 4)
    #expect(row.status == .failed)
    #expect((row.progress, row.totalSize, row.maxTimeStamp, row.failures) == (0, -1, -1, 0))
    #expect(row.options == SyncOptions())
    #expect(row.counts == SyncCounts())
    #expect(row.problems.isEmpty)
    #expect(row.nextPlan == nil)
    #expect((row.idField, row.dateField) == ("Id", "lastModifiedDate"))
  }

  @Test(arguments: [
    "null", "[]", #"{"direction":"syncDown","collection":"a"}"#,
    #"{"direction":"sideways","collection":"a","target":{}}"#,
    #"{"direction":"syncUp","target":{}}"#,
  ])
  func `what cannot be a sync is damage`(_ text: String) throws {
    let json = try JSON(parsing: text)
    let error = #expect(throws: SyncError.self) { try SyncRow(json: json, id: 4) }
    #expect(error?.code == .storeCorrupt)
  }
}
