import OfflineSync
import OfflineSyncHTTP
import Testing

/// What a change asks of a Kinto server, and what its answers mean.
struct KintoRuleTests {
  private static let base: Record = ["id": "r1", "last_modified": 7, "a": 1, "b": 2]

  private static func change(_ kind: ChangeKind, _ fields: Record = [:]) -> LocalChange {
    var record = kind == .created ? [:] : base
    for (name, value) in fields.object { record[name] = value == .null ? nil : value }
    var change = LocalChange(
      id: "r1",
      collection: "c",
      kind: kind,
      record: record,
      base: kind == .created ? nil : base
    )
    change.fields = fields
    change.operationID = "op"
    return change
  }

  @Test(arguments: [
    (
      ChangeKind.created, false,
      #"{"path":"p","method":"PUT","body":{"data":{"a":5,"b":null}},"headers":{"If-None-Match":"*"}}"#
    ),
    (
      .updated, true,
      #"{"path":"p","method":"PATCH","body":{"data":{"a":5,"b":null}},"headers":{}}"#
    ),
    (
      .updated, false,
      #"{"path":"p","method":"PUT","body":{"data":{"a":5}},"headers":{"If-Match":"\"7\""}}"#
    ),
    (.deleted, true, #"{"path":"p","method":"DELETE","headers":{}}"#),
    (.deleted, false, #"{"path":"p","method":"DELETE","headers":{"If-Match":"\"7\""}}"#),
  ])
  func `A change is a request of a batch`(_ kind: ChangeKind, _ overwrites: Bool, _ json: String)
    throws
  {
    let fields: Record = kind == .deleted ? [:] : ["a": 5, "b": .null]
    let work = KintoChange(change: Self.change(kind, fields), overwrites: overwrites)
    #expect(work.request(path: "p") == (try JSON(parsing: json)))
    #expect(work.isPatch == (kind == .updated && overwrites))
    guard work.isPatch else { return }
    let patch =
      #"[{"op":"add","path":"/data/a","value":5},{"op":"add","path":"/data/b","value":null},{"op":"remove","path":"/data/b"}]"#
    #expect(work.patch == (try JSON(parsing: patch)))
  }

  private static let existing =
    #"{"errno":114,"details":{"existing":{"id":"r1","last_modified":9,"a":1,"b":3}}}"#
  private static let same =
    #"{"errno":114,"details":{"existing":{"id":"r1","last_modified":9,"a":5,"b":2}}}"#

  @Test(arguments: [
    (ChangeKind.created, 201, #"{"data":{"id":"op","a":5}}"#, "created"),
    (.created, 412, existing, "created"),
    (.created, 412, #"{"errno":114}"#, "failed KINTO_114 false"),
    (.created, 404, #"{"errno":111,"error":"Not Found"}"#, "failed KINTO_111 false"),
    (.updated, 200, #"{"data":{"id":"r1","a":5,"b":2}}"#, "updated"),
    (.updated, 412, existing, "conflict"),
    (.updated, 412, same, "updated"), (.updated, 412, #"{"errno":114}"#, "missing"),
    (.updated, 404, #"{"errno":110}"#, "missing"),
    (.updated, 404, #"{"errno":111}"#, "failed KINTO_111 false"),
    (.updated, 403, #"{"errno":121,"message":"no"}"#, "failed KINTO_121 false"),
    (.updated, 409, #"{"errno":122}"#, "failed KINTO_122 true"),
    (.updated, 503, #"{"errno":201}"#, "failed KINTO_201 true"),
    (.updated, 500, "null", "failed HTTP_500 true"),
    (.updated, 400, #"{"errno":107}"#, "failed KINTO_107 false"),
    (.deleted, 200, #"{"data":{"id":"r1","deleted":true}}"#, "deleted"),
    (.deleted, 404, #"{"errno":110}"#, "missing"),
    (.deleted, 412, existing, "conflict"), (.deleted, 412, #"{"errno":114}"#, "missing"),
    (.deleted, 405, #"{"errno":115}"#, "failed KINTO_115 false"),
  ])
  func `Each answer to each change has one meaning`(
    _ kind: ChangeKind,
    _ status: Int,
    _ body: String,
    _ meaning: String
  ) throws {
    let json: JSON = ["status": JSON(status), "body": try JSON(parsing: body)]
    let answer = try #require(KintoAnswer(json, now: 0))
    let fields: Record = kind == .deleted ? [:] : ["a": 5]
    let work = KintoChange(change: Self.change(kind, fields), overwrites: false)
    let found =
      switch work.outcome(answer) {
      case .created(id: "op", _): "created"
      case .updated(_?): "updated"
      case .deleted: "deleted"
      case .missing: "missing"
      case .conflict(let remote?) where remote["b"] == 3: "conflict"
      case .failed(let failure): "failed \(failure.code) \(failure.isRetryable)"
      case let other: "\(other)"
      }
    #expect(found == meaning)
  }

  @Test
  func `An overwriting update to which others wrote too does not bring their edits as ours`() throws
  {
    let work = KintoChange(change: Self.change(.updated, ["a": 5]), overwrites: true)
    func outcome(_ data: JSON) throws -> PushOutcome {
      work.outcome(try #require(KintoAnswer(["status": 200, "body": ["data": data]], now: 0)))
    }
    #expect(try outcome(["id": "r1", "last_modified": 9, "a": 5, "b": 3]) == .updated())
    guard case .updated(_?) = try outcome(["id": "r1", "last_modified": 9, "a": 5.0, "b": 2]) else {
      Issue.record("what the server writes in its own way is still ours")
      return
    }
  }

  @Test
  func `Lists of ids are cut to what an address may hold, and hold each possible id once`() {
    let ids = (0..<900).map { RecordID("record-\($0)") } + ["", "a b", "ü", "-x", "_x"]
    let slices = KintoQuery.slices(ids)
    #expect(slices.count > 2 && Array(slices.joined()) == Array(ids[..<900]))
    for slice in slices {
      let list = KintoQuery.records(slice, fields: nil)[0].value
      #expect(list.utf8.count < 8000)
    }
    #expect(KintoQuery.records(["007"], fields: nil)[0].value == "\"007\"")
    #expect(KintoQuery.slices([]).isEmpty)
  }
}
