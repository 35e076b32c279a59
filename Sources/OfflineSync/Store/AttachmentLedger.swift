/// What the records of one commit do to references, collected record by record.
///
/// A reference that moves from one record to another within a commit is not lost: rows are decided at
/// its end.
struct AttachmentLedger: Sendable {
  private var changes: [ByteText: MentionChange] = [:]
  private var order: [ByteText] = []

  /// Whether nothing was noted.
  var isEmpty: Bool { order.isEmpty }

  /// What happened to each reference, in the order of their first mention.
  var inOrder: [(reference: String, change: MentionChange)] {
    order.compactMap { key in changes[key].map { (key.string, $0) } }
  }

  /// Notes that a record went from one draft to another; nil: it was not there.
  mutating func note(
    _ fields: [String],
    from before: RecordDraft?,
    to after: RecordDraft,
    in collection: String,
    by cause: RecordCause
  ) {
    for name in fields {
      let old = before.map { Self.mentions(in: $0, name) } ?? []
      let new = Self.mentions(in: after, name)
      let place = AttachmentField(collection: collection, record: after.id, field: name)
      let isMoved = before.map { $0.id != after.id } ?? false
      for mention in old where isMoved || !new.contains(where: { $0.key == mention.key }) {
        guard let before else { continue }
        change(mention.key) {
          $0.losses.append(Self.loss(of: mention, name, from: before, to: after, collection, cause))
        }
      }
      for mention in new {
        let present = old.first { $0.key == mention.key }
        let isNew = mention.isDelivered && present?.isDelivered != true
        change(mention.key) {
          $0.gains.append(
            MentionChange.Gain(
              mention: AttachmentMention(field: place, isOnServer: mention.isOnServer),
              isDelivered: cause == .pull ? mention.isDelivered : cause == .push && isNew
            )
          )
        }
      }
    }
  }

  /// Forgets everything.
  mutating func removeAll() {
    guard !isEmpty else { return }
    self = AttachmentLedger()
  }

  private mutating func change(_ key: ByteText, _ body: (inout MentionChange) -> Void) {
    if changes[key] == nil { order.append(key) }
    body(&changes[key, default: MentionChange()])
  }

  // MARK: - Reading drafts

  /// A reference that a draft holds in one field.
  private struct Found {
    let key: ByteText
    var isOnServer: Bool
    /// Whether it came from the server, as its copy or as a conflict's.
    var isDelivered: Bool
  }

  private static func mentions(in draft: RecordDraft, _ field: String) -> [Found] {
    var found: [Found] = []
    func add(_ record: Record?, isOnServer: Bool, isDelivered: Bool) {
      guard let reference = AttachmentReference.reference(in: record?[field]) else { return }
      let key = ByteText(reference)
      if let index = found.firstIndex(where: { $0.key == key }) {
        found[index].isOnServer = found[index].isOnServer || isOnServer
        found[index].isDelivered = found[index].isDelivered || isDelivered
      } else {
        found.append(Found(key: key, isOnServer: isOnServer, isDelivered: isDelivered))
      }
    }
    add(draft.server, isOnServer: true, isDelivered: true)
    if draft.local?.kind != .deleted {
      add(draft.local?.body, isOnServer: false, isDelivered: false)
    }
    if draft.isOperationOpen {
      add(draft.operation?.sent, isOnServer: false, isDelivered: false)
    }
    if case .record(let remote)? = draft.conflict?.remote {
      add(remote, isOnServer: false, isDelivered: true)
    }
    return found
  }

  private static func loss(
    of mention: Found,
    _ field: String,
    from before: RecordDraft,
    to after: RecordDraft,
    _ collection: String,
    _ cause: RecordCause
  ) -> MentionChange.Loss {
    let view = before.local?.kind == .deleted ? nil : before.body
    let isSeen =
      AttachmentReference.reference(in: view?[field]).map { ByteText($0) == mention.key } ?? false
    let isAppsAlone = cause == .edit && !mention.isOnServer
    return MentionChange.Loss(
      field: AttachmentField(collection: collection, record: before.id, field: field),
      isUserAct: isAppsAlone || !isSeen,
      isEvidence: !isAppsAlone,
      isRecordForgotten: cause == .edit && after.isGone && before.server == nil
        && !before.isBaseLost
    )
  }
}
