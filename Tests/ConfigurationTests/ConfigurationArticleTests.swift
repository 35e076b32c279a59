import Foundation
import OfflineSync
import Testing

/// The article about configuration files says what is read.
struct ConfigurationArticleTests {
  static let article: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Sources/OfflineSync/OfflineSync.docc/Configuration.md")
    do { return try String(contentsOf: file, encoding: .utf8) } catch { return "\(error)" }
  }()

  static func example() throws -> JSON {
    let parts = article.components(separatedBy: "```json\n")
    try #require(parts.count == 2)
    return try JSON(parsing: parts[1].components(separatedBy: "```\n")[0])
  }

  /// The keys in the first column of the table below a heading, with the third column's text.
  static func table(_ heading: String) throws -> [(key: String, preset: String)] {
    let start = try #require(article.range(of: heading)).upperBound
    let lines = article[start...].split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("|---") }.dropFirst().prefix { $0.hasPrefix("|") }
    return lines.flatMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      // Several keys may share a line.
      let keys = cells[0].split(separator: "`").filter { $0.first?.isLetter == true }
        .map(String.init).filter { $0 != "or" && !$0.hasPrefix(", ") }
      return keys.map { ($0, cells[2]) }
    }
  }

  @Test func `the article's example is read, and set up by a manager`() async throws {
    let json = try Self.example()
    let folder = URL(filePath: "/data", directoryHint: .isDirectory)
    let file = try ConfigurationFile(parsing: json, relativeTo: folder)
    #expect(file.syncs.map(\.name) == ["contactsDown", "contactsUp"])
    #expect(file.syncs.map(\.collection) == ["contacts", "contacts"])
    #expect(file.syncs[0].options.overlap == .seconds(5))
    #expect(file.syncs[1].options.maxAttempts == 3)
    let attachments = try #require(file.attachments)
    #expect(attachments.fields.map(\.field) == ["photo"])
    let columns = attachments.fields.map {
      AttachmentColumn(collection: $0.collection, field: $0.field)
    }
    let client = try await SyncClient.inMemory(
      configuration: .init(owner: attachments.owner, attachmentColumns: columns)
    )
    try await client.manager.setupSyncs(from: json, relativeTo: folder)
    #expect(await client.manager.syncs.map(\.name) == ["contactsDown", "contactsUp"])
    try await client.close()
  }

  @Test func `the article's tables have every key that is read, and no other`() throws {
    let json = try Self.example()
    let syncs = try #require(json["syncs"]?.array)
    func keys(_ objects: [JSON?]) -> Set<String> {
      Set(objects.flatMap { $0?.object?.map(\.key) ?? [] })
    }
    func told(_ heading: String) throws -> Set<String> {
      Set(try Self.table(heading).map(\.key))
    }
    #expect(try told("## Overview") == keys([json]))
    #expect(try told("### An entry of syncs") == keys(syncs))
    #expect(try told("### A target of type folder") == keys(syncs.map { $0["target"] }))
    #expect(try told("### Options") == keys(syncs.map { $0["options"] }))
    #expect(try told("### Attachments") == keys([json["attachments"]]))
    // Every option there is: all are written but those that are nil, and none is refused.
    var options = SyncOptions(fieldlist: [], createFieldlist: [], updateFieldlist: [])
    options.references = ["a": "b"]
    #expect(try told("### Options") == keys([options.configuration]))
  }

  @Test func `the article's defaults are those of the code`() throws {
    let presets = Dictionary(
      try Self.table("### Options").map { ($0.key, $0.preset) },
      uniquingKeysWith: { first, _ in first }
    )
    let options = SyncOptions()
    let written = options.configuration
    #expect(presets["mergeMode"] == written["mergeMode"]?.string.map { "`\($0)`" })
    for key in ["overlapMilliseconds", "timeoutSeconds", "maxAttempts"] {
      #expect(presets[key] == written[key]?.text, "\(key)")
    }
    let target = FolderTarget(URL(filePath: "/r"), collection: "c").configuration
    let folder = try Self.table("### A target of type folder")
    for key in ["pageSize", "idFieldName", "modificationDateFieldName"] {
      let preset = folder.first { $0.key == key }?.preset.trimmingCharacters(in: ["`"])
      #expect(preset == target[key]?.string ?? target[key]?.text, "\(key)")
    }
  }
}
