/// What waits for one reader of attachment statuses; bounded, and what matters most stays longest.
///
/// Beyond the limit the oldest progress values go first, then the oldest states that a later one of
/// the same reference follows.
package struct AttachmentMailbox: Sendable {
  /// The one reference it is about; nil: all.
  package let reference: String?
  private var waiting: [AttachmentUpdate]
  private var last: [ByteText: AttachmentStatus] = [:]
  private let limit: Int

  /// A mailbox whose first values are `updates`; nothing is lost until 256 more wait.
  package init(_ updates: [AttachmentUpdate], of reference: String?, limit: Int = 256) {
    self.reference = reference
    waiting = updates
    self.limit = max(limit, updates.count + limit - 1)
    for update in updates { last[ByteText(update.reference)] = update.status }
  }

  /// How many values wait.
  package var count: Int { waiting.count }

  /// Adds a value unless it equals the reference's last one; whether it did.
  package mutating func put(_ update: AttachmentUpdate) -> Bool {
    if let reference, ByteText(reference) != ByteText(update.reference) { return false }
    let key = ByteText(update.reference)
    guard last[key] != update.status else { return false }
    last[key] = update.status
    waiting.append(update)
    if waiting.count > limit { shorten() }
    return true
  }

  /// The value that has waited longest.
  package mutating func take() -> AttachmentUpdate? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }

  private mutating func shorten() {
    var later: Set<ByteText> = []
    var progress: Int?
    var followed: Int?
    for index in waiting.indices.reversed()
    where !later.insert(ByteText(waiting[index].reference)).inserted {
      followed = index
      if waiting[index].status.state == .uploading { progress = index }
    }
    waiting.remove(at: progress ?? followed ?? 0)
  }
}
