import OfflineSync

/// Shows the whole road once, on records that ship with the project, and verifies it.
package struct DemoCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "demo",
    "two devices sync a copy of Fixtures/demo through every mishap, then all is compared",
    [.optionalOption("fixtures", value: "FOLDER")]
  )

  /// The folder with the configuration and the records.
  package let fixtures: String

  package init(_ arguments: Arguments) throws {
    fixtures = arguments.value(of: "fixtures") ?? "Fixtures/demo"
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let files = FileManager.default
    let original = URL(filePath: fixtures, directoryHint: .isDirectory)
    guard files.fileExists(atPath: original.appending(path: "config.json").path) else {
      throw SyncError(
        .configInvalid,
        "\(fixtures) has no config.json: start the demo in the project's folder, or name its "
          + "records with --fixtures"
      )
    }
    let id = SyncClient.Environment.live.makeID()
    let place = files.temporaryDirectory.appending(path: "offlinesync-demo-\(id)")
    do {
      try Self.copy(original.path, to: place.path)
    } catch {
      throw SyncError(.store, "\(fixtures) cannot be copied to \(place.path): \(error)")
    }
    do {
      try await Demo(place: place, output: output).run()
    } catch {
      output.complain("what the demo left is in \(place.path)")
      throw error
    }
    try files.removeItem(at: place)
    return .good
  }

  /// Copies what files hold, not who owns them and who may write: a checkout may be somebody else's,
  /// or read-only.
  private static func copy(_ folder: String, to place: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: place, withIntermediateDirectories: true)
    for path in try files.subpathsOfDirectory(atPath: folder).sorted() {
      let type =
        try files.attributesOfItem(atPath: "\(folder)/\(path)")[.type] as? FileAttributeType
      if type == .typeDirectory {
        try files.createDirectory(atPath: "\(place)/\(path)", withIntermediateDirectories: true)
      } else {
        try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
          .write(to: URL(filePath: "\(place)/\(path)"))
      }
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
