extension StoreDoctor {
  /// The store that the lines of a damaged journal still amount to.
  ///
  /// Collections whose definition is lost are defined anew, at an offset below 0.
  struct Salvage: Sendable {
    private(set) var state = StoreState()
    /// The highest number that a sync ever had, as far as any line tells.
    let highestSync: Int64
    private let definitions: [Outline.Definition]
    /// The collections that had to be defined anew, and where lines first need them.
    private var undefined: [(number: Int, place: JournalLine)] = []

    init(_ outline: Outline) {
      highestSync = outline.highestSync
      definitions = outline.definitions
    }

    /// What is wrong in the lines that verify; what belongs to no record is dropped.
    ///
    /// Where lines are lost, the collections that have no definition are no damage of their own.
    mutating func unnamedDamage(
      _ named: [JournalFinding],
      in reading: JournalDoctor.Reading
    ) -> [JournalFinding] {
      let orphans = dropOrphans()
      let isNamed = named.contains(where: \.isDamage)
      return (undefinedCollections(isDamage: !isNamed) + orphans).map(reading.located)
    }

    /// Findings for the collections that have no definition where lines need one: which name their
    /// records are under now, and how many they are.
    private func undefinedCollections(isDamage: Bool) -> [JournalFinding] {
      undefined.map { number, place in
        let collection = state.collections[number - 1]
        let count = collection.index.slots.count { collection.index[$0].isPresent }
        let records = count == 1 ? "its one record is" : "its \(count) records are"
        var finding = JournalFinding(
          "",
          at: place.offset,
          byteCount: Int64(place.byteCount),
          "nothing before this defines it: \(records) in \(collection.name) now",
          isDamage: isDamage
        )
        finding.kind = JournalKind.collection
        finding.number = Int64(number)
        finding.token = collection.name
        return finding
      }
    }

    /// Drops what is left of records of which neither server copy nor local change is: nobody can show
    /// it.
    private mutating func dropOrphans() -> [JournalFinding] {
      var findings: [JournalFinding] = []
      for orphan in state.dropOrphans() {
        let name = state[orphan.place].name
        for line in orphan.lines {
          var finding = JournalFinding(
            "",
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
  mutating func reset() {
    state.reset()
    undefined = []
  }

  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
    switch JournalFields.kind(of: line) {
    case JournalKind.header, JournalKind.commit: return
    case JournalKind.sync, JournalKind.attachment: break
    case JournalKind.collection:
      var fields = JournalFields()
      try define(upTo: try fields.integer(in: line) - 1, for: place)
    default:
      var fields = JournalFields()
      try define(upTo: try fields.integer(in: line), for: place)
    }
    try state.visit(line, place)
  }

  /// Defines collections whose own lines have not come.
  private mutating func define(upTo number: Int64, for place: JournalLine) throws {
    while state.collections.count < min(Int(number), definitions.count) {
      let number = state.collections.count + 1
      undefined.append((number, place))
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
