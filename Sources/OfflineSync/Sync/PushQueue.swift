/// The records whose changes a run still has to push, in the order in which they go out.
///
/// Taking the next ones and putting some back cost the same however many wait.
struct PushQueue {
  /// The next one last.
  private var ids: [RecordID] = []

  /// Nothing waits.
  init() {}

  /// These wait, the first of them first.
  init(_ ids: [RecordID]) { self.ids = ids.reversed() }

  var isEmpty: Bool { ids.isEmpty }

  func contains(_ id: RecordID) -> Bool { ids.contains(id) }

  /// Takes the next ones, at most so many.
  mutating func take(_ count: Int) -> [RecordID] {
    let taken = Array(ids.suffix(count).reversed())
    ids.removeLast(taken.count)
    return taken
  }

  /// Puts some before all others.
  mutating func putBack(_ ids: [RecordID]) { self.ids.append(contentsOf: ids.reversed()) }

  /// Puts some behind all others.
  mutating func append(_ ids: [RecordID]) {
    if !ids.isEmpty { self.ids.insert(contentsOf: ids.reversed(), at: 0) }
  }
}
