import OfflineSync

/// The fields that a record has, as a query selects them.
enum SObjectFields {
  /// The names by which a query brings every field of this record; nil: one cannot be asked for so.
  ///
  /// A record of another object in a field, which has `attributes`, is named field by field; one without is
  /// a compound field as an address. The rows of a sub-query cannot be asked for.
  static func names(of record: Record) -> [String]? {
    names(of: record.object, under: "", depth: 0)
  }

  private static func names(of object: JSON.Object, under path: String, depth: Int) -> [String]? {
    var names: [String] = []
    for (key, value) in object where key != "attributes" {
      guard isName(key) else { return nil }
      guard let inner = value.object, inner["attributes"] != nil || inner["records"] != nil else {
        names.append(path + key)
        continue
      }
      // Salesforce follows a relationship over five levels.
      guard inner["records"] == nil, depth < 5,
        let below = Self.names(of: inner, under: "\(path)\(key).", depth: depth + 1)
      else { return nil }
      names += below
    }
    return names
  }

  /// Whether this can stand in a query as the name of a field or an object.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The fields without those that are there already, in any case of letters.
  static func joined(_ fields: [String]) -> String {
    var seen: Set<String> = []
    return fields.filter { seen.insert($0.lowercased()).inserted }.joined(separator: ", ")
  }
}
