import OfflineSync
import Testing

struct ConfigurationMistakeTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let json: String
    let message: String

    /// A file with this text in it.
    init(file: String, _ message: String) {
      testDescription = file
      json = file
      self.message = message
    }

    /// A second entry like this, but for one key.
    init(_ key: String, _ value: JSON?, _ message: String) {
      var entry: JSON.Object = [
        "syncName": "up", "syncType": "syncUp", "soupName": "c",
        "target": ["type": "folder", "path": "r"],
      ]
      entry[key] = value
      self.init(entry, message, "\(key): \(value?.text ?? "missing")")
    }

    /// A second entry with this option.
    init(option: String, _ value: JSON, _ message: String) {
      self.init("options", [option: value], #"syncs[1] "up": options.\#(option)\#(message)"#)
    }

    /// A file whose part about attachments is this.
    init(attachments: JSON, _ message: String) {
      self.init(file: JSON.object(["syncs": [], "attachments": attachments]).text, message)
    }

    private init(_ entry: JSON.Object, _ message: String, _ description: String) {
      let first: JSON = [
        "syncName": "down", "syncType": "syncDown", "soupName": "c",
        "target": ["type": "folder", "path": "r"],
      ]
      testDescription = description
      json = JSON.object(["syncs": [first, .object(entry)]]).text
      self.message = message
    }
  }

  static let files = [
    Mistake(file: "[]", "the configuration: is an array, not an object"),
    Mistake(file: "{}", "the configuration: syncs: is missing"),
    Mistake(file: #"{"syncs":{}}"#, "the configuration: syncs: is an object, not an array"),
    Mistake(file: #"{"syncs":null}"#, "the configuration: syncs: is null, not an array"),
    Mistake(
      file: #"{"syncs":[],"Attachments":{}}"#,
      "the configuration: Attachments: is none of syncs, attachments"
    ),
    Mistake(file: #"{"syncs":[1]}"#, "syncs[0]: is a number, not an object"),
    Mistake(file: #"{"syncs":[{}]}"#, "syncs[0]: syncName: is missing"),
  ]

  static let entries = [
    Mistake("syncName", nil, "syncs[1]: syncName: is missing"),
    Mistake("syncName", 7, "syncs[1]: syncName: is a number, not a text"),
    Mistake("syncName", "", "syncs[1]: syncName: is empty"),
    Mistake(
      "syncName",
      "down",
      #"syncs[1] "down": syncName: syncs[0] "down" has the same name"#
    ),
    Mistake(
      "name",
      "x",
      #"syncs[1] "up": name: is none of syncName, syncType, soupName, collection, target, options"#
    ),
    Mistake("syncType", nil, #"syncs[1] "up": syncType: is missing"#),
    Mistake("syncType", "up", #"syncs[1] "up": syncType: "up" is none of syncDown, syncUp"#),
    Mistake("syncType", true, #"syncs[1] "up": syncType: is true or false, not a text"#),
    Mistake("soupName", nil, #"syncs[1] "up": soupName: is missing"#),
    Mistake("soupName", "", #"syncs[1] "up": soupName: is empty"#),
    Mistake(
      "collection",
      "c",
      #"syncs[1] "up": collection: stands beside soupName, which says the same"#
    ),
    Mistake("target", nil, #"syncs[1] "up": target: is missing"#),
    Mistake("target", "folder", #"syncs[1] "up": target: is a text, not an object"#),
    Mistake("target", [:], #"syncs[1] "up": target.type: is missing"#),
    Mistake("target", ["type": .null], #"syncs[1] "up": target.type: is null, not a text"#),
    Mistake("target", ["type": "folder"], #"syncs[1] "up": target.path: is missing"#),
    Mistake(
      "target",
      ["type": "folder", "path": "a\u{0}"],
      #"syncs[1] "up": target.path: has a NUL in it"#
    ),
    Mistake("options", .null, #"syncs[1] "up": options: is null, not an object"#),
  ]

  static let options = [
    Mistake(
      option: "mergeMode",
      "OVERWRTE",
      #": "OVERWRTE" is none of OVERWRITE, LEAVE_IF_CHANGED, MERGE"#
    ),
    Mistake(
      option: "mergeMode",
      "overwrite",
      #": "overwrite" is none of OVERWRITE, LEAVE_IF_CHANGED, MERGE"#
    ),
    Mistake(option: "mergeMode", .null, ": is null, not a text"),
    Mistake(
      option: "fieldList",
      [],
      ": is none of mergeMode, fieldlist, createFieldlist, updateFieldlist, overlapMilliseconds, "
        + "timeoutSeconds, maxAttempts, references"
    ),
    Mistake(option: "fieldlist", "Name", ": is a text, not an array"),
    Mistake(option: "createFieldlist", ["a", 1], "[1]: is no text, or an empty one"),
    Mistake(option: "updateFieldlist", [""], "[0]: is no text, or an empty one"),
    Mistake(option: "overlapMilliseconds", -1, ": is no whole number from 0 on"),
    Mistake(option: "overlapMilliseconds", 1.5, ": is no whole number from 0 on"),
    Mistake(option: "overlapMilliseconds", "5", ": is no whole number from 0 on"),
    Mistake(option: "timeoutSeconds", -1, ": is no number from 0 on in whole milliseconds"),
    Mistake(option: "timeoutSeconds", 0.0001, ": is no number from 0 on in whole milliseconds"),
    Mistake(option: "timeoutSeconds", 1e30, ": is no number from 0 on in whole milliseconds"),
    Mistake(option: "timeoutSeconds", true, ": is no number from 0 on in whole milliseconds"),
    Mistake(option: "maxAttempts", 0, ": is no whole number from 1 on"),
    Mistake(option: "references", ["AccountId"], ": is an array, not an object"),
    Mistake(option: "references", ["a": 1], ".a: is a number, not a text"),
  ]

  static let attachments = [
    Mistake(attachments: [], "attachments: is an array, not an object"),
    Mistake(
      attachments: ["columns": []],
      "attachments: columns: is none of owner, transfer, fields"
    ),
    Mistake(attachments: ["owner": 1], "attachments: owner: is a number, not a text"),
    Mistake(attachments: ["transfer": [:]], "attachments: transfer.type: is missing"),
    Mistake(
      attachments: ["transfer": ["type": "folder"]],
      "attachments: transfer.path: is missing"
    ),
    Mistake(
      attachments: ["transfer": ["type": "folder", "path": "r", "size": 1]],
      "attachments: transfer.size: is none of type, path"
    ),
    Mistake(attachments: ["fields": [:]], "attachments: fields: is an object, not an array"),
    Mistake(
      attachments: ["fields": [["soupName": "c"]]],
      "attachments: fields[0]: field: is missing"
    ),
    Mistake(
      attachments: ["fields": [["field": "c"]]],
      "attachments: fields[0]: soupName: is missing"
    ),
    Mistake(
      attachments: ["fields": [["soupName": "c", "field": "f", "type": "x"]]],
      "attachments: fields[0]: type: is none of soupName, collection, field"
    ),
    Mistake(
      attachments: [
        "fields": [["soupName": "c", "field": "f"], ["collection": "c", "field": "f"]]
      ],
      "attachments: fields[1]: is declared in fields[0] already"
    ),
  ]

  @Test(arguments: files + entries + options + attachments)
  func `a mistake is named by entry and key`(_ mistake: Mistake) throws {
    let error = try #require(throws: SyncError.self) {
      try ConfigurationFileTests.parse(mistake.json)
    }
    #expect(error.code == .configInvalid)
    #expect(error.message == mistake.message)
  }
}
