import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ConfigurationFileTests {
  static let full = #"""
    {"syncs": [{"syncName": "contactsDown", "syncType": "syncDown", "soupName": "contacts",
                "target": {"type": "folder", "path": "remote"},
                "options": {"mergeMode": "LEAVE_IF_CHANGED", "overlapMilliseconds": 5000,
                            "timeoutSeconds": 1.5, "references": {"AccountId": "accounts"}}},
               {"syncName": "contactsUp", "syncType": "syncUp", "collection": "contacts",
                "target": {"type": "own", "path": "remote", "deep": [1.0]},
                "options": {"fieldlist": ["Name"], "createFieldlist": [],
                            "updateFieldlist": ["Name", "City"], "mergeMode": "OVERWRITE",
                            "timeoutSeconds": 0, "maxAttempts": 3}}],
     "attachments": {"owner": "me", "transfer": {"type": "folder", "path": "./files"},
                     "fields": [{"soupName": "contacts", "field": "photo"}]}}
    """#

  static func parse(_ json: String, in folder: String? = "/data/c") throws -> ConfigurationFile {
    let url = folder.map { URL(filePath: $0, directoryHint: .isDirectory) }
    return try ConfigurationFile(parsing: JSON(parsing: json), relativeTo: url)
  }

  @Test func `a full file is read`() throws {
    let file = try Self.parse(Self.full)
    #expect(file.syncs.map(\.name) == ["contactsDown", "contactsUp"])
    #expect(file.syncs.map(\.direction) == [.syncDown, .syncUp])
    #expect(file.syncs.map(\.collection) == ["contacts", "contacts"])
    #expect(file.syncs.map(\.targetType) == ["folder", "own"])
    #expect(file.syncs.map(\.place) == [#"syncs[0] "contactsDown""#, #"syncs[1] "contactsUp""#])
    #expect(
      file.syncs[0].target
        == ["type": "folder", "path": "/data/c/remote", "collection": "contacts"]
    )
    #expect(file.syncs[1].target.text == #"{"type":"own","path":"remote","deep":[1.0]}"#)
    #expect(
      file.syncs[0].options
        == SyncOptions(
          mergeMode: .leaveIfChanged,
          references: ["AccountId": "accounts"],
          overlap: .seconds(5),
          timeout: .milliseconds(1500)
        )
    )
    #expect(
      file.syncs[1].options
        == SyncOptions(
          fieldlist: ["Name"],
          createFieldlist: [],
          updateFieldlist: ["Name", "City"],
          timeout: .zero,
          maxAttempts: 3
        )
    )
    let attachments = try #require(file.attachments)
    #expect(attachments.owner == "me")
    #expect(attachments.transfer == ["type": "folder", "path": "/data/c/./files"])
    #expect(attachments.fields.map(\.collection) == ["contacts"])
    #expect(attachments.fields.map(\.field) == ["photo"])
  }

  @Test func `what may be left out has its default`() throws {
    let file = try Self.parse(
      #"{"syncs":[{"syncName":"a","syncType":"syncUp","soupName":"c","target":{"type":"t"}}]}"#
    )
    #expect(file.syncs[0].options == SyncOptions())
    #expect(file.attachments == nil)
    let empty = try Self.parse(#"{"syncs":[],"attachments":{}}"#)
    #expect(empty.syncs.isEmpty)
    #expect(empty.attachments?.owner == nil && empty.attachments?.transfer == nil)
    #expect(empty.attachments?.fields == [])
  }

  static let paths: [(path: String, folder: String?, absolute: String)] = [
    ("remote", "/a b/c", "/a b/c/remote"), ("remote", "/a/", "/a/remote"), ("r", "/", "/r"),
    ("/remote", "/a", "/remote"), ("../r", "/a", "/a/../r"), ("remote", nil, "remote"),
    ("100%", "/a%20b", "/a%20b/100%"), ("\u{fc}", "/\u{e4}", "/\u{e4}/\u{fc}"),
  ]

  @Test(arguments: paths)
  func `a relative path starts at the folder`(_ path: String, _ folder: String?, _ absolute: String)
    throws
  {
    let target: JSON = ["type": "folder", "path": .string(path), "collection": "other"]
    let json: JSON = [
      "syncs": [["syncName": "a", "syncType": "syncUp", "soupName": "c", "target": target]]
    ]
    let file = try Self.parse(json.text, in: folder)
    #expect(file.syncs[0].target["path"]?.string == absolute)
    #expect(file.syncs[0].target["collection"] == "other")
  }

  @Test func `an error of the target gets the name of the entry`() throws {
    let entry = try Self.parse(Self.full).syncs[1]
    let error = entry.naming(SyncError(.syncTargetUnknown, "no such type"))
    #expect(error.code == .syncTargetUnknown)
    #expect(error.message == #"syncs[1] "contactsUp": no such type"#)
  }

  @Test func `options are written as they are read`() throws {
    let options = SyncOptions(
      mergeMode: .merge,
      fieldlist: ["b", "a"],
      references: ["z": "c1", "a": "c2", "m": "c3"],
      overlap: .milliseconds(1),
      timeout: .milliseconds(2_001),
      maxAttempts: 1
    )
    let json = options.configuration
    #expect(
      json.text
        == #"{"mergeMode":"MERGE","fieldlist":["b","a"],"overlapMilliseconds":1,"timeoutSeconds":2.001"#
        + #","maxAttempts":1,"references":{"a":"c2","m":"c3","z":"c1"}}"#
    )
    for options in [options, SyncOptions()] {
      let file: JSON = [
        "syncs": [
          [
            "syncName": "a", "syncType": "syncUp", "soupName": "c", "target": ["type": "t"],
            "options": options.configuration,
          ]
        ]
      ]
      #expect(try Self.parse(file.text).syncs[0].options == options)
    }
  }
}
