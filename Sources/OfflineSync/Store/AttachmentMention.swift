/// A field of a record that names an attachment.
package struct AttachmentMention: Sendable, Hashable {
  /// The field.
  package var field: AttachmentField
  /// Whether the server's copy names it, and not only what was edited, sent or found here.
  package var isOnServer: Bool

  /// A mention.
  package init(field: AttachmentField, isOnServer: Bool) {
    self.field = field
    self.isOnServer = isOnServer
  }
}

/// Who changed a record.
package enum RecordCause: Sendable, Hashable, CaseIterable {
  /// The app, through the store's edit calls.
  case edit
  /// A page of the server, or the cleaning of ghosts.
  case pull
  /// The server's answer to a push.
  case push
}

/// What one commit does to the fields that name one reference.
package struct MentionChange: Sendable, Equatable {
  /// A field that does not name it any more.
  package struct Loss: Sendable, Equatable {
    /// The field.
    package var field: AttachmentField
    /// Whether the user had let go of it, now or before the server said so, too.
    package var isUserAct: Bool
    /// Whether the server has said so.
    package var isEvidence: Bool
    /// Whether its record never left the device, and is gone.
    package var isRecordForgotten: Bool
  }

  /// A field that names it after the commit.
  package struct Gain: Sendable, Equatable {
    /// The field, and whether the server's copy names it.
    package var mention: AttachmentMention
    /// Whether a reference without a row gets one: the server has delivered it.
    package var isDelivered: Bool
  }

  /// What was lost, in order.
  package var losses: [Loss] = []
  /// What names it, of the records that the commit touches.
  package var gains: [Gain] = []
}

/// How records lead to attachment rows: given to the store at opening, which knows no more of it.
package struct AttachmentWitness: Sendable {
  /// The fields that hold references.
  package var columns: [AttachmentColumn]
  /// The row that follows from what happened to the fields that name its reference.
  ///
  /// Gets the row as it is (nil: none), the reference, what happened, and the date. Pure.
  package var decide:
    @Sendable (AttachmentRow?, _ reference: String, MentionChange, Int64) -> AttachmentRow?

  /// A witness.
  package init(
    columns: [AttachmentColumn],
    decide: @escaping @Sendable (AttachmentRow?, String, MentionChange, Int64) -> AttachmentRow?
  ) {
    self.columns = columns
    self.decide = decide
  }

  /// Declares nothing and changes nothing.
  package static let none = AttachmentWitness(columns: []) { row, _, _, _ in row }
}
