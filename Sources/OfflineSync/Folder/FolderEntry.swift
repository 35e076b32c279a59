/// One file that a fetch has to send: where its content lies and where it stands in the order.
///
/// Bodies are read again when their page is due, so that a fetch of any size holds its index alone.
package struct FolderEntry: Sendable, Equatable {
  /// What the file was when the folder was scanned.
  package enum Kind: Sendable, Equatable {
    /// A record that the store does not hold as it is here.
    case record
    /// A deletion that the store has not heard of.
    case tombstone
    /// A file that does not count, to be reported.
    case unusable
    /// A second file of one record under another encoding of its name, to be reported.
    case copy
    /// A tombstone that a clock far ahead has dated, beside a file of its record, to be reported.
    case farTombstone
  }

  package let kind: Kind
  /// The modification date, in milliseconds; nil, sorted first: there is none to be read.
  package let date: Int64?
  /// The record; of a file that does not count its name.
  package let id: RecordID
  /// The file, as a path in the collection's folder.
  package let name: String
}

extension FolderEntry: Comparable {
  /// By date, then by id.
  package static func < (left: FolderEntry, right: FolderEntry) -> Bool {
    switch (left.date, right.date) {
    case (let leftDate?, let rightDate?) where leftDate != rightDate: leftDate < rightDate
    case (nil, _?): true
    case (_?, nil): false
    default: left.id == right.id ? left.name < right.name : left.id < right.id
    }
  }
}
