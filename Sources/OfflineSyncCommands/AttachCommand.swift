package import OfflineSync

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Attaches a file to a record.
package struct AttachCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "attach",
    "copies a file in for a field of a record, and prints its reference",
    [
      .option("config", value: "C"), .option("state", value: "S"), .operand("COLLECTION"),
      .operand("ID"), .operand("FIELD"), .operand("FILE"),
    ]
  )

  /// The configuration file.
  package let config: String
  /// Where the store lies.
  package let state: String
  /// The field of the record.
  package let field: AttachmentField
  /// The file.
  package let file: String

  package init(_ arguments: Arguments) throws {
    config = try arguments.required("config")
    state = try arguments.required("state")
    field = AttachmentField(
      collection: try arguments.required(at: 0),
      record: RecordID(try arguments.required(at: 1)),
      field: try arguments.required(at: 2)
    )
    file = try arguments.required(at: 3)
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let configuration = try ConfigurationSource(config)
    let file = URL(filePath: file, directoryHint: .notDirectory)
    let reference = try await ClientSession.writing(state, configuration).run { client in
      try await client.attachments.attach(
        file: file,
        to: field,
        contentType: AttachmentReference.contentType(ofExtension: file.pathExtension)
      )
    }
    try output.value(reference)
    return .good
  }
}
