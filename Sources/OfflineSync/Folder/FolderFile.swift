/// What reading one file of a folder remote brought.
package enum FolderFile: Sendable, Equatable {
  /// A record (or a tombstone) whose id is the one in the file's name; nil: no readable date.
  case record(Record, id: RecordID, date: Int64?)
  /// A file that is no record, or cannot be read: named, and its bytes kept if they are malformed.
  case unusable(RecordProblem)
  /// The file went since the folder was listed.
  case absent
}
