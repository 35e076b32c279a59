import Foundation
import Testing

/// The README's commands, as somebody types them in a clone of the project.
@Suite(.timeLimit(.minutes(15)))
struct ReadmeCommandTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The commands in the blocks of a section, in order.
  private static func commands(below heading: String) throws -> String {
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let start = try #require(readme.range(of: "\n## \(heading)\n")).upperBound
    let section = readme[start...].components(separatedBy: "\n## ")[0]
    let parts = section.components(separatedBy: "```\n")
    try #require(parts.count > 1 && !parts.count.isMultiple(of: 2))
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }.joined()
  }

  @Test func `the README's commands do what it says, and change nothing of the project`()
    async throws
  {
    let directory = try TestDirectory()
    let files = FileManager.default
    for name in ["Fixtures", "README.md", "Package.swift"] {
      try files.copyItem(
        at: Self.root.appending(path: name),
        to: directory.url.appending(path: name)
      )
    }
    // Only asked where the tool lies.
    try files.createDirectory(
      at: directory.url.appending(path: "bin"),
      withIntermediateDirectories: false
    )
    let folder = try ToolProcess.tool.deletingLastPathComponent().path
    try directory.write("bin/swift", "#!/bin/sh\necho '\(folder)'\n")
    try files.setAttributes(
      [.posixPermissions: 0o755],
      ofItemAtPath: directory.url.appending(path: "bin/swift").path
    )
    try directory.write("commands", try Self.commands(below: "The tool"))

    let result = try await ToolProcess(
      ["-euc", #"PATH="$PWD/bin:$PATH"; . ./commands"#],
      program: URL(filePath: "/bin/sh"),
      in: directory
    ).result()
    #expect(result.status == 0)
    #expect(result.errors == "")
    var lines = result.lines[...]
    for expected in [
      "4 of 4 syncs done", #""name":"timezonesDown""#, #""Name":"Austria""#, "changed: Name",
      "good: every byte verifies",
      "countriesDown: done, 249 fetched, 249 stored", "countriesUp: done, 1 sent",
      "countriesUp: done, 1 skipped, 1 conflicts", #"local:  {"Name":"Autriche""#,
      #"remote: {"Id":"AT","Name":"Österreich""#,
      ": failed, ", "4 of 4 syncs done, 1 attachment uploaded", ": synced, ",
      "attachments/content/",
      "1 attachment uploaded", ": orphaned, ", "1 objects deleted, 1 rows removed",
      "attachments/content/", "there are no attachments",
    ] {
      let place = try #require(
        lines.firstIndex { $0.contains(expected) },
        "\(expected): not in \(lines.joined(separator: "\n"))"
      )
      lines = lines[(place + 1)...]
    }
    for path in try files.subpathsOfDirectory(atPath: Self.root.appending(path: "Fixtures").path) {
      let copy = directory.url.appending(path: "Fixtures/\(path)").path
      let original = Self.root.appending(path: "Fixtures/\(path)").path
      #expect(files.contentsEqual(atPath: original, andPath: copy), "\(path)")
    }
  }
}
