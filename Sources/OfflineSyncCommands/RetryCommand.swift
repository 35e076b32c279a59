package import OfflineSync

/// Forgives an attachment or a record its failed attempts.
package struct RetryCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "retry",
    "lets an attachment or a parked record be tried again, whatever has failed before",
    [.option("state", value: "S"), .operand("REF|COLLECTION"), .optionalOperand("ID")]
  )

  /// What is tried again.
  package enum Subject: Sendable, Equatable {
    /// An attachment, by its reference.
    case attachment(String)
    /// A record of a collection.
    case record(RecordID, collection: String)
  }

  /// Where the store lies.
  package let state: String
  /// What is tried again.
  package let subject: Subject

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    let first = try arguments.required(at: 0)
    subject =
      arguments.operand(at: 1).map { .record(RecordID($0), collection: first) }
      ?? .attachment(first)
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.writing(state).run { client in
      switch subject {
      case .attachment(let reference):
        // Says that there is none.
        _ = try await client.attachments.existing(reference)
        try await client.attachments.retry(reference)
      case .record(let id, let collection):
        guard try await client.store.retry(id, in: collection) else {
          throw SyncError(.recordNotFound, "\(collection) has no change of \(id)")
        }
      }
      return .good
    }
  }
}
