import OfflineSync
import Testing

struct RecordMergeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let base: String?
    let local: String
    let remote: String
    let merged: String
    var preferringRemote: String?
    var conflicts: [String] = []
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(
      name: "nothing changed",
      base: #"{"a":1}"#,
      local: #"{"a":1}"#,
      remote: #"{"a":1}"#,
      merged: #"{"a":1}"#
    ),
    Row(
      name: "changed here",
      base: #"{"a":1,"b":1}"#,
      local: #"{"a":2,"b":1}"#,
      remote: #"{"b":1,"a":1}"#,
      merged: #"{"b":1,"a":2}"#
    ),
    Row(
      name: "changed there",
      base: #"{"a":1,"b":1}"#,
      local: #"{"a":1,"b":1}"#,
      remote: #"{"a":2,"b":1}"#,
      merged: #"{"a":2,"b":1}"#
    ),
    Row(
      name: "each changed another field",
      base: #"{"a":1,"b":1}"#,
      local: #"{"a":2,"b":1}"#,
      remote: #"{"a":1,"b":2}"#,
      merged: #"{"a":2,"b":2}"#
    ),
    Row(
      name: "both changed one alike",
      base: #"{"a":1}"#,
      local: #"{"a":2}"#,
      remote: #"{"a":2}"#,
      merged: #"{"a":2}"#
    ),
    Row(
      name: "alike but for escapes",
      base: #"{"a":""}"#,
      local: #"{"a":"A"}"#,
      remote: #"{"a":"\u0041"}"#,
      merged: #"{"a":"\u0041"}"#
    ),
    Row(
      name: "both changed one",
      base: #"{"a":1}"#,
      local: #"{"a":2}"#,
      remote: #"{"a":3}"#,
      merged: #"{"a":2}"#,
      preferringRemote: #"{"a":3}"#,
      conflicts: ["a"]
    ),
    Row(
      name: "added here",
      base: #"{"a":1}"#,
      local: #"{"n":1.0,"a":1}"#,
      remote: #"{"a":2}"#,
      merged: #"{"a":2,"n":1.0}"#
    ),
    Row(
      name: "added there",
      base: #"{"a":1}"#,
      local: #"{"a":2}"#,
      remote: #"{"n":0,"a":1}"#,
      merged: #"{"n":0,"a":2}"#
    ),
    Row(
      name: "both added one",
      base: #"{}"#,
      local: #"{"n":1}"#,
      remote: #"{"n":2}"#,
      merged: #"{"n":1}"#,
      preferringRemote: #"{"n":2}"#,
      conflicts: ["n"]
    ),
    Row(
      name: "removed here",
      base: #"{"a":1,"b":1}"#,
      local: #"{"b":1}"#,
      remote: #"{"a":1,"b":2}"#,
      merged: #"{"b":2}"#
    ),
    Row(
      name: "removed there",
      base: #"{"a":1,"b":1}"#,
      local: #"{"a":1,"b":2}"#,
      remote: #"{"b":1}"#,
      merged: #"{"b":2}"#
    ),
    Row(name: "removed on both sides", base: #"{"a":1}"#, local: "{}", remote: "{}", merged: "{}"),
    Row(
      name: "removed here, changed there",
      base: #"{"a":1}"#,
      local: "{}",
      remote: #"{"a":2}"#,
      merged: "{}",
      preferringRemote: #"{"a":2}"#,
      conflicts: ["a"]
    ),
    Row(
      name: "changed here, removed there",
      base: #"{"a":1}"#,
      local: #"{"a":2}"#,
      remote: "{}",
      merged: #"{"a":2}"#,
      preferringRemote: "{}",
      conflicts: ["a"]
    ),
    Row(
      name: "null is not missing",
      base: #"{"a":1}"#,
      local: #"{"a":null}"#,
      remote: "{}",
      merged: #"{"a":null}"#,
      preferringRemote: "{}",
      conflicts: ["a"]
    ),
    Row(
      name: "created on both sides",
      base: nil,
      local: #"{"Id":"x","a":1,"b":1}"#,
      remote: #"{"Id":"y","b":1,"a":2,"c":3}"#,
      merged: #"{"Id":"y","b":1,"a":1,"c":3}"#,
      preferringRemote: #"{"Id":"y","b":1,"a":2,"c":3}"#,
      conflicts: ["a"]
    ),
    Row(
      name: "id and date are the server's",
      base: #"{"Id":1,"d":1,"a":1}"#,
      local: #"{"Id":1,"d":5,"a":2}"#,
      remote: #"{"Id":1,"d":9,"a":1}"#,
      merged: #"{"Id":1,"d":9,"a":2}"#
    ),
    Row(
      name: "order of the conflicts",
      base: #"{"r":1,"a":1,"b":1}"#,
      local: #"{"b":2,"a":2}"#,
      remote: #"{"a":3,"b":3,"r":3}"#,
      merged: #"{"a":2,"b":2}"#,
      preferringRemote: #"{"a":3,"b":3,"r":3}"#,
      conflicts: ["b", "a", "r"]
    ),
  ]) func `three sides are merged field by field`(row: Row) throws {
    let base = try row.base.map { try Record(json: $0) }
    let local = try Record(json: row.local)
    let remote = try Record(json: row.remote)
    let merged = RecordMerge.merge(base: base, local: local, remote: remote, except: ["Id", "d"])
    #expect(merged.record.json == row.merged)
    #expect(merged.conflicts == row.conflicts)
    let other = RecordMerge.merge(
      base: base,
      local: local,
      remote: remote,
      except: ["Id", "d"],
      preferring: .remote
    )
    #expect(other.record.json == row.preferringRemote ?? row.merged)
    #expect(other.conflicts == row.conflicts)
  }

  @Test(arguments: [
    (#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"b":5,"a":7}"#, #"{"a":2,"b":5}"#),
    (#"{"a":1,"b":1}"#, #"{"b":1,"a":1}"#, #"{"a":1}"#, #"{"a":1}"#),
    (#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{}"#, #"{"a":2}"#),
    (#"{"a":1}"#, #"{"a":1,"own":0}"#, #"{"a":1,"new":3,"own":4}"#, #"{"a":1,"own":0,"new":3}"#),
    (#"{"a":1,"b":1}"#, #"{"b":2}"#, #"{"a":9,"b":1}"#, #"{"b":2}"#),
    (
      #"{"Id":"l","d":1,"a":1}"#, #"{"Id":"l","a":2}"#, #"{"Id":"s","d":7,"a":1}"#,
      #"{"Id":"s","a":2,"d":7}"#
    ),
    (#"{"Id":"l","a":1}"#, #"{"Id":"k","a":2}"#, #"{"Id":"s","a":1}"#, #"{"Id":"s","a":2}"#),
    (#"{"a":"A"}"#, #"{"a":"\u0041"}"#, #"{"a":"B"}"#, #"{"a":"B"}"#),
  ]) func `what was not changed here follows the new base`(
    old: String,
    local: String,
    new: String,
    result: String
  ) throws {
    let rebased = try RecordMerge.rebase(
      Record(json: local),
      from: Record(json: old),
      onto: Record(json: new),
      except: ["Id", "d"]
    )
    #expect(rebased.json == result)
  }

  @Test func `the fields sent lie over the base`() throws {
    let base = try Record(json: #"{"Id":1,"a":1,"b":1e3,"gone":1,"null":1}"#)
    let sent = try Record(json: #"{"a":2,"gone":null,"null":null,"new":0}"#)
    let local = try Record(json: #"{"Id":1,"a":5,"b":1e3,"null":null}"#)
    #expect(
      RecordMerge.overlay(base, with: sent).json
        == #"{"Id":1,"a":2,"b":1e3,"gone":null,"null":null,"new":0}"#
    )
    #expect(
      RecordMerge.overlay(base, with: sent, local: local).json
        == #"{"Id":1,"a":2,"b":1e3,"null":null,"new":0}"#
    )
  }
}
