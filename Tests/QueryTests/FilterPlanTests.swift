import OfflineSync
import Testing

/// What a store learns from a filter before it reads any body.
struct FilterPlanTests {
  static let field = Filter.field("v", equals: 1)

  static let verdicts: [(Filter, clean: Bool?, deleted: Bool?)] = [
    (field, nil, nil), (.live, true, false), (.dirty, false, true), (.ids(["1"]), true, true),
    (.ids(["2"]), false, false), (.all(.live, field), nil, false),
    (.all(field, .dirty), false, nil), (.any(.live, field), true, nil),
    (.any(field, .dirty), nil, true), (.not(.live), false, true), (.not(field), nil, nil),
    (.not(.all(.live, field)), nil, true), (.all(), true, true), (.any(), false, false),
    (.all(.live, .ids(["1"])), true, false), (.field("v", isOneOf: []), false, false),
  ]

  @Test(arguments: verdicts)
  func `a verdict without the body is given where it can be`(
    _ filter: Filter,
    clean: Bool?,
    deleted: Bool?
  ) {
    #expect(filter.verdict(id: "1", change: nil) == clean)
    #expect(filter.verdict(id: "1", change: .deleted) == deleted)
    for record in [["v": 1], ["v": 2]] as [Record] {
      if let clean { #expect(filter.matches(record, id: "1", change: nil) == clean) }
      if let deleted { #expect(filter.matches(record, id: "1", change: .deleted) == deleted) }
    }
  }

  static let candidates: [(Filter, Set<RecordID>?)] = [
    (field, nil), (.ids(["a", "b"]), ["a", "b"]), (.all(field, .ids(["a"])), ["a"]),
    (.all(.ids(["a", "b"]), .any(.ids(["b"]), .ids(["c"]))), ["b"]),
    (.any(field, .ids(["a"])), nil), (.not(.ids(["a"])), nil), (.any(), []), (.all(), nil),
  ]

  @Test(arguments: candidates)
  func `the only ids that can match are told`(_ filter: Filter, _ ids: Set<RecordID>?) {
    #expect(filter.candidates == ids)
  }

  static let dirtyOnly: [(Filter, Bool)] = [
    (.dirty, true), (.live, false), (.not(.live), true), (.all(field, .dirty), true),
    (.any(field, .dirty), false), (.any(.dirty, .not(.live)), true), (.not(.dirty), false),
    (field, false),
  ]

  @Test(arguments: dirtyOnly)
  func `a filter for changes is known as one`(_ filter: Filter, _ isDirtyOnly: Bool) {
    #expect(filter.isDirtyOnly == isDirtyOnly)
  }

  @Test func `ids are replaced at any depth`() {
    let filter = Filter.all(.not(.ids(["local", "x"])), .any(.ids(["local"]), Self.field))
    let resolved = filter.resolvingIDs { $0 == "local" ? "17" : $0 }
    #expect(resolved == .all(.not(.ids(["17", "x"])), .any(.ids(["17"]), Self.field)))
  }
}
