extension StoreDoctor {
  /// Something in a state directory that is not as it should be.
  package struct Finding: Sendable, Equatable {
    /// Where it is, and what is wrong.
    package let place: JournalFinding
    /// What was there, as far as its beginning tells: "the server copy of 0010001 in contacts".
    package let subject: String?

    /// Whether something acknowledged may be lost; false of a write that a crash cut short.
    package var isDamage: Bool { place.isDamage }

    init(_ place: JournalFinding, outline: Outline) {
      self.place = place
      subject = Self.subject(of: place, outline)
    }

    private static func subject(of place: JournalFinding, _ outline: Outline) -> String? {
      guard let kind = place.kind, let number = place.number else {
        let name = place.kind.flatMap { names[$0] }
        return name.map { "the \($0)" + (place.token.map { " \($0)" } ?? "") }
      }
      let token = place.token ?? "?"
      switch kind {
      case JournalKind.sync:
        return "sync \(number)" + (outline.syncName(number).map { " (\($0))" } ?? "")
      case JournalKind.collection: return "the definition of collection \(token)"
      case JournalKind.commit: return "commit \(number)"
      case JournalKind.malformed:
        return "malformed bytes of sync \(token) in \(outline.collectionName(number))"
      default:
        guard let name = names[kind] else { return nil }
        return "the \(name) of \(token) in \(outline.collectionName(number))"
      }
    }

    private static let names: [UInt8: String] = [
      JournalKind.header: "header", JournalKind.record: "server copy",
      JournalKind.local: "local change", JournalKind.sent: "operation",
      JournalKind.conflict: "conflict", JournalKind.displaced: "displaced body",
      JournalKind.gone: "removal", JournalKind.owner: "owner", JournalKind.identity: "new id",
      JournalKind.failure: "failure", JournalKind.attachment: "attachment",
    ]
  }
}

extension StoreDoctor.Finding: CustomStringConvertible {
  /// One line for people.
  package var description: String {
    "\(place.fileName)@\(place.offset): " + (subject.map { "\($0): " } ?? "") + place.reason
  }
}
