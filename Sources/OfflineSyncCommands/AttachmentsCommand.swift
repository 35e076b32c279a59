import OfflineSync

/// Lists the attachments, or shows one.
package struct AttachmentsCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "attachments",
    "lists the attachments and where each is on its way",
    [.option("state", value: "S"), .optionalOperand("REF"), .flag("json")]
  )

  /// Where the store lies.
  package let state: String
  /// The only attachment to show; nil: all.
  package let reference: String?
  /// Whether programs read the answer.
  package let asJSON: Bool

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    reference = arguments.operand(at: 0)
    asJSON = arguments.has("json")
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    try await ClientSession.reading(state, output) { client in
      let updates =
        if let reference {
          [try await client.attachments.existing(reference)]
        } else {
          try await client.attachments.statuses()
        }
      for update in updates {
        try output.line(asJSON ? update.json.text : Self.describe(update))
      }
      if updates.isEmpty, !asJSON { try output.line("there are no attachments") }
    }
  }

  private static func describe(_ update: AttachmentUpdate) -> String {
    let status = update.status
    let size = status.byteCount.map { "\($0) bytes" } ?? "size unknown"
    var lines = ["\(update.reference.shown): \(status.state), \(size)"]
    if status.progress > 0, status.state != .synced {
      lines.append("confirmed: \(status.progress) bytes")
    }
    if let path = status.localPath { lines.append("here: \(path.shown)") }
    if status.attempts > 0, status.state != .synced {
      lines.append("attempts: \(status.attempts)\(status.permanent ? ", only retry goes on" : "")")
    }
    if status.nextAttempt > 0 {
      lines.append("next attempt: \(DateText.text(status.nextAttempt))")
    }
    if let code = status.errorCode {
      lines.append("error: \(code.shown): \((status.error ?? "").shown)")
    }
    return lines.joined(separator: "\n    ")
  }
}
