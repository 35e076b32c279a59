import OfflineSync
import OfflineSyncTesting
import Testing

/// What a state directory holds below the store: the state and every draft.
struct SalvagedStore {
  var state: StoreState
  /// The drafts of each collection, in order.
  var drafts: [[RecordDraft]]

  /// What a reader of the directory finds.
  init(_ disk: SimulatedFileSystem) throws {
    var state = StoreState()
    let journal = try Journal.openReader(StateDirectory("/state", files: disk), visitor: &state)
    try self.init(state, journal)
  }

  /// What the lines of a good journal amount to without some of them.
  init(_ disk: SimulatedFileSystem, without isLost: (Range<Int>) -> Bool) throws {
    var all = StoreState()
    let journal = try Journal.openReader(StateDirectory("/state", files: disk), visitor: &all)
    var state = StoreState()
    for line in try JournalText(disk).lines where !isLost(line.range) {
      try state.visit(
        line.bytes.span,
        JournalLine(offset: Int64(line.range.lowerBound), byteCount: line.range.count)
      )
    }
    try self.init(state, journal)
  }

  private init(_ state: StoreState, _ journal: Journal) throws {
    self.state = state
    let syncs = Set(state.syncs.map(\.row.id.rawValue))
    drafts = try state.collections.map { collection in
      let reader = RecordReader(collection: collection, journal: journal)
      return try collection.index.slots.filter { collection.index[$0].isPresent }.compactMap {
        var draft = try reader.draft(at: $0)
        if draft.isGone { return nil }
        // A repair gives a record without any body one, and takes away owners that are lost.
        if draft.body == nil { draft.local?.body = ["Id": draft.id.token] }
        if !syncs.contains(draft.owner) { draft.owner = 0 }
        return draft
      }
    }
  }
}

/// The lines of the journal in force.
struct JournalText {
  struct Line {
    /// Without its newline.
    let bytes: [UInt8]
    /// With its newline.
    let range: Range<Int>
    var kind: Character { Character(Unicode.Scalar(bytes[20 + 1])) }
  }

  let path: String
  let lines: [Line]

  init(_ disk: SimulatedFileSystem) throws {
    path = try StoreWorld(disk).journalPath()
    var lines: [Line] = []
    var start = 0
    let bytes = try disk.bytes(of: path)
    for end in bytes.indices where bytes[end] == UInt8(ascii: "\n") {
      lines.append(Line(bytes: Array(bytes[start..<end]), range: start..<(end + 1)))
      start = end + 1
    }
    self.lines = lines
  }

  /// The first line of this kind that contains the text.
  func line(_ kind: Character, _ text: String) throws -> Line {
    try #require(
      lines.first { $0.kind == kind && String(decoding: $0.bytes, as: UTF8.self).contains(text) }
    )
  }
}
