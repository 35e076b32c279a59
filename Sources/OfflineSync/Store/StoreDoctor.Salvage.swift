extension StoreDoctor {
  /// The store that the lines of a damaged journal still amount to.
  ///
  /// Collections whose definition is lost are defined anew, at an offset below 0.
  struct Salvage: Sendable {
    private(set) var state = StoreState()
    /// The highest number that a sync ever had, as far as any line tells.
    let highestSync: Int64
    private let definitions: [Outline.Definition]

    init(_ outline: Outline) {
      highestSync = outline.highestSync
      definitions = outline.definitions
    }

    /// Drops what is left of records of which neither server copy nor local change is: nobody can show
    /// it.
    mutating func dropOrphans(fileName: String) -> [JournalFinding] {
      var findings: [JournalFinding] = []
      for orphan in state.dropOrphans() {
        let name = state[orphan.place].name
        for line in orphan.lines {
          var finding = JournalFinding(
            fileName,
            at: line.offset,
            byteCount: Int64(line.byteCount),
            "nothing is left of \(orphan.id) in \(name), to which this belongs"
          )
          finding.number = state[orphan.place].number
          finding.token = orphan.id.text
          findings.append(finding)
        }
      }
      return findings
    }
  }
}

extension StoreDoctor.Salvage: JournalVisitor {
  mutating func reset() { state.reset() }

  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
    switch JournalFields.kind(of: line) {
    case JournalKind.header, JournalKind.commit: return
    case JournalKind.sync, JournalKind.attachment: break
    case JournalKind.collection:
      var fields = JournalFields()
      try define(upTo: try fields.integer(in: line) - 1)
    default:
      var fields = JournalFields()
      try define(upTo: try fields.integer(in: line))
    }
    try state.visit(line, place)
  }

  /// Defines collections whose own lines have not come.
  private mutating func define(upTo number: Int64) throws {
    while state.collections.count < min(Int(number), definitions.count) {
      let number = state.collections.count + 1
      let definition = definitions[number - 1]
      var line = JournalTransaction()
      line.writeCollection(definition.name, number: Int64(number), rules: definition.rules)
      try state.visit(
        line.bytes.span.extracting(0..<line.bytes.count - 1),
        JournalLine(offset: -1, byteCount: 0)
      )
    }
  }
}
