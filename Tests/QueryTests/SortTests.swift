import OfflineSync
import Testing

struct SortTests {
  /// In ascending order; what is in one group ties.
  static let groups = [
    [nil], ["null"], ["false"], ["true"], ["-1e400"], ["-2"], ["-1.5", "-15e-1"], ["0", "-0.0"],
    ["1e-400"], ["1", "1.0"], ["1.00000000000000000000000000001"], ["9007199254740992"],
    ["9007199254740993"], ["1e400"], [#""""#], [#""\u0000""#], [#""A""#], [#""a""#, #""\u0061""#],
    [#""a\u0000""#], [#""aa""#], [#""e\u0301""#], [#""\u00e9""#], [#""\uff5e""#],
    [#""\ud83d\ude00""#], ["[]", "{}", "[1]", #"{"a":1}"#],
  ]

  static func record(_ json: String?, _ place: Int = 0) throws -> Record {
    try Record(json: json.map { #"{"n":\#(place),"v":\#($0)}"# } ?? #"{"n":\#(place)}"#)
  }

  static func order(_ records: [Record], _ keys: [SortKey]) -> [Int] {
    var sorter = RecordSorter(keys)
    for record in records { sorter.add(record) }
    return sorter.order()
  }

  @Test func `values have one order over all types`() throws {
    for (rank, group) in Self.groups.enumerated() {
      for (otherRank, otherGroup) in Self.groups.enumerated() {
        let pair = [try Self.record(group[0]), try Self.record(otherGroup[otherGroup.count - 1])]
        let isSwapped = otherRank < rank
        #expect(
          Self.order(pair, [.ascending("v")]) == (isSwapped ? [1, 0] : [0, 1]),
          "\(group) and \(otherGroup)"
        )
        #expect(
          Self.order(pair, [.descending("v")]) == (rank < otherRank ? [1, 0] : [0, 1]),
          "\(group) and \(otherGroup)"
        )
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a shuffled list is put in order, ties as they came`(_ seed: UInt64) throws {
    var values: [(rank: Int, json: String?)] = []
    for (rank, group) in Self.groups.enumerated() { values += group.map { (rank, $0) } }
    values += values
    var state = seed
    for place in values.indices.reversed() {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      values.swapAt(place, Int(state >> 33) % (place + 1))
    }
    let records = try values.enumerated().map { try Self.record($1.json, $0) }
    let ascending = Self.order(records, [.ascending("v")])
    #expect(
      ascending
        == values.indices.sorted { (values[$0].rank, $0) < (values[$1].rank, $1) },
      "seed \(seed)"
    )
    let descending = Self.order(records, [.descending("v")])
    #expect(
      descending
        == values.indices.sorted { (-values[$0].rank, $0) < (-values[$1].rank, $1) },
      "seed \(seed)"
    )
  }

  @Test func `later keys order what ties by earlier ones`() {
    let records: [Record] = [
      ["a": 2, "b": "x"], ["a": 1, "b": "y"], ["b": "z"], ["a": 1.0, "b": "z"], ["a": 2, "b": "x"],
    ]
    #expect(Self.order(records, [.ascending("a"), .descending("b")]) == [2, 3, 1, 0, 4])
    #expect(Self.order(records, [.descending("a"), .ascending("b")]) == [0, 4, 1, 3, 2])
    #expect(Self.order(records, [.ascending("b")]) == [0, 4, 1, 2, 3])
    #expect(Self.order(records, []) == [0, 1, 2, 3, 4])
    #expect(Self.order([], [.ascending("a")]) == [])
  }

  @Test func `keys are equal by field and direction`() {
    #expect(SortKey.ascending("a") == .ascending("a"))
    #expect(SortKey.ascending("a") != .descending("a"))
    #expect(SortKey.ascending("\u{e9}") != .ascending("e\u{301}"))
  }
}
