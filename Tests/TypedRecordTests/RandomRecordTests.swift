import OfflineSync
import Testing

/// Records as servers write them: any spelling, duplicates, fields that nobody knows.
struct RandomRecordTests {
  /// A type that knows some of the fields of each object, at any depth.
  final class Tree: Codable {
    var text: String?
    var number: JSON?
    var ratio: Double?
    var left: Tree?
    var list: [Tree]?
    var map: [String: Tree]?
  }

  struct Writer {
    var state: UInt64
    var depth = 0

    mutating func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }

    mutating func pick(_ texts: [String]) -> String { texts[next(texts.count)] }

    mutating func number() -> String {
      pick(["0", "-0", "1.0", "1e3", "0.10", "123456", "2.50E-1"])
    }

    mutating func text() -> String {
      pick([#""""#, #""a""#, #""\u0061\/""#, #""é""#, #""e\u0301""#, #""\ud83d\ude00,]}""#])
    }

    mutating func object() -> String {
      depth += 1
      defer { depth -= 1 }
      let members = (0..<next(7)).map { _ in member() }
      return "{\(members.joined(separator: ","))}"
    }

    mutating func member() -> String {
      let isLeaf = depth > 4
      switch next(isLeaf ? 6 : 9) {
      case 0: return #""text":\#(text())"#
      case 1: return #""\u0074ext":\#(pick([text(), "null"]))"#
      case 2: return #""number":\#(number())"#
      case 3: return #""ratio":\#(number())"#
      case 4: return #""own":[\#(number()),{"n":\#(text())}]"#
      case 5: return #""left":null"#
      case 6: return #""left":\#(object())"#
      case 7: return #""list":[\#((0..<next(4)).map { _ in object() }.joined(separator: ","))]"#
      default: return #""map":{"k":\#(object()),"\u006c":\#(object())}"#
      }
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `reading and writing back changes no byte`(_ seed: UInt64) throws {
    var writer = Writer(state: seed)
    for _ in 0..<10 {
      let json = writer.object()
      let record = try Record(json: json)
      #expect(record.json == json, "seed \(seed)")
      #expect(
        try Record(encoding: record.decode(Tree.self), over: record) == record,
        "seed \(seed)"
      )
      let fields = try record.decode([String: JSON].self)
      #expect(try Record(encoding: fields, over: record) == record, "seed \(seed)")
      #expect(try Record(encoding: record.decode(JSON.self), over: record) == record)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `an edit is read back`(_ seed: UInt64) throws {
    var writer = Writer(state: seed)
    for _ in 0..<10 {
      let record = try Record(json: writer.object())
      let other = try Record(json: writer.object()).decode(Tree.self)
      let edited = try Record(encoding: other, over: record)
      let read = try edited.decode(Tree.self)
      #expect(try Record(encoding: read, over: edited) == edited, "seed \(seed)")
      #expect(read.text == other.text && read.ratio == other.ratio, "seed \(seed)")
      #expect(read.list?.count == other.list?.count, "seed \(seed)")
      #expect(read.map?.keys.sorted() == other.map?.keys.sorted(), "seed \(seed)")
    }
  }
}
