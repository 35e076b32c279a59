package import OfflineSync

/// The queries of a Kinto server's list of records.
package enum KintoQuery {
  /// Most bytes of the ids in one address.
  static let mostByteCount = 4000

  /// What was written and deleted since a time, in the order of time; nil: every record there is.
  static func changes(since: Int64?, limit: Int) -> [(name: String, value: String)] {
    var items = [("_sort", "last_modified"), ("_limit", "\(limit)")]
    // Only with `_since` does the server tell of deletions.
    if let since { items.append(("_since", "\"\(since)\"")) }
    return items.map { (name: $0.0, value: $0.1) }
  }

  /// The records of these ids, in the order of time; with `after`, those that changed later.
  ///
  /// Each id is a JSON string: a bare `007` would be read as a number, and no record has that as its id.
  package static func records(
    _ ids: ArraySlice<RecordID>,
    fields: String?,
    after: Int64? = nil
  ) -> [(name: String, value: String)] {
    let list = ids.map { JSON.string($0.text).text }.joined(separator: ",")
    var items = [("in_id", list), ("_sort", "last_modified")]
    if let fields { items.append(("_fields", "\(fields),last_modified")) }
    if let after { items.append(("gt_last_modified", "\(after)")) }
    return items.map { (name: $0.0, value: $0.1) }
  }

  /// The ids in slices that fit into an address; those that no record of a Kinto server can have, left out.
  package static func slices(_ ids: [RecordID]) -> [ArraySlice<RecordID>] {
    let possible = ids.filter { isPossible($0) }
    var slices: [ArraySlice<RecordID>] = []
    var (start, byteCount) = (0, 0)
    for (index, id) in possible.enumerated() {
      let size = id.text.utf8.count + 9
      if byteCount + size > mostByteCount, index > start {
        slices.append(possible[start..<index])
        (start, byteCount) = (index, 0)
      }
      byteCount += size
    }
    if start < possible.count { slices.append(possible[start...]) }
    return slices
  }

  /// Whether a record of a Kinto server can have this id: a letter or digit, then those, `-` and `_`.
  static func isPossible(_ id: RecordID) -> Bool {
    guard let first = id.text.utf8.first, isLetterOrDigit(first) else { return false }
    return id.text.utf8.count <= mostByteCount
      && id.text.utf8.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
