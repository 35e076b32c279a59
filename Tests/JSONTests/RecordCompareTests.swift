import OfflineSync
import Testing

struct RecordCompareTests {
  @Test(arguments: [
    (#"{"a":1,"b":"x"}"#, #"{"b":"x","a":1}"#, true), (#"{"a":1}"#, #"{"a":1.0}"#, false),
    (#"{"a":1e3}"#, #"{"a":1000}"#, false), (#"{"a":"A"}"#, #"{"a":"\u0041"}"#, true),
    (#"{"\u0061":"\/"}"#, #"{"a":"/"}"#, true), (#"{"a":null}"#, #"{}"#, false),
    (#"{"a":null}"#, #"{"a":""}"#, false),
    (#"{"a":{"x":1,"y":[2]}}"#, #"{"a":{"y":[2],"x":1}}"#, true),
    (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, false), (#"{"a":1,"a":2}"#, #"{"a":2}"#, true),
    (#"{"a":"é"}"#, "{\"a\":\"e\u{301}\"}", false), (#"{"a":true}"#, #"{"a":1}"#, false),
    (#"{"a":1,"b":2}"#, #"{"a":1,"c":2}"#, false), (#"{"a":1}"#, #"{"a":1,"b":2}"#, false),
    (#"{"Id":1,"a":1}"#, #"{"Id":2,"d":5,"a":1}"#, true),
    (#"{"a":"x\\"}"#, #"{"a":"x\u005c"}"#, true),
  ]) func `records are equal by their fields`(left: String, right: String, isEqual: Bool) throws {
    let left = try Record(json: left)
    let right = try Record(json: right)
    #expect(left.isEqual(to: right, except: ["Id", "d"]) == isEqual)
    #expect(right.isEqual(to: left, except: ["Id", "d"]) == isEqual)
    #expect(left.changedFields(from: right, except: ["Id", "d"]).isEmpty == isEqual)
  }

  @Test func `changed fields are the added, the changed and the removed ones`() throws {
    let base = try Record(json: #"{"Id":1,"gone":1,"same":1,"text":"a","late":2,"also gone":0}"#)
    let record = try Record(json: #"{"new":0,"late":2,"text":"b","same":1,"Id":2}"#)
    #expect(record.changedFields(from: base) == ["new", "text", "Id", "gone", "also gone"])
    #expect(
      record.changedFields(from: base, except: ["Id"]) == ["new", "text", "gone", "also gone"]
    )
    #expect(record.changedFields(from: record).isEmpty)
  }

  @Test func `many fields are compared as few are`() throws {
    var record: Record = [:]
    for n in 0..<200 { record["field \(n)"] = JSON(n) }
    let reversed = Record(
      record.object.reversed().reduce(into: JSON.Object()) { $0[$1.key] = $1.value }
    )
    #expect(record.isEqual(to: reversed))
    var edited = reversed
    edited["field 77"] = "x"
    edited["field 3"] = nil
    edited["more"] = true
    #expect(!record.isEqual(to: edited))
    #expect(edited.changedFields(from: record) == ["field 77", "more", "field 3"])
    #expect(record.fieldNames == (0..<200).map { "field \($0)" })
  }
}
