import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DemoTests {
  /// The project's own records, which lie beside its tests.
  private static var fixtures: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/demo").path
  }

  @Test func `the demo verifies what it shows, and says so in its last line`() async throws {
    let directory = try TestDirectory()
    let result = try await directory.tool("demo", "--fixtures", Self.fixtures)
    #expect(result.status == 0)
    #expect(result.errors == "")
    let last = try #require(result.lines.last)
    #expect(last.hasPrefix("verified: 558 records in 2 collections equal the folder"))
    #expect(result.lines.contains { $0.contains("timezonesDown  stopped   38 % of 312") })
    #expect((40...65).contains(result.lines.count))
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test func `a folder without the records is named`() async throws {
    let directory = try TestDirectory()
    let result = try await directory.tool("demo")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: CONFIG_INVALID: Fixtures/demo has no config.json"))
  }

  @Test func `records that are not as the demo needs them fail it`() async throws {
    let directory = try TestDirectory()
    try FileManager.default.copyItem(
      atPath: Self.fixtures,
      toPath: directory.url.appending(path: "fixtures").path
    )
    try FileManager.default.removeItem(
      at: directory.url.appending(path: "fixtures/remote/timezones")
    )
    let result = try await directory.tool("demo", "--fixtures", "fixtures")
    #expect(result.status == 1)
    #expect(result.errors.contains("error: "))
    #expect(!result.output.contains("verified"))
    let place = try #require(
      result.errors.split(separator: "\n").first?.split(separator: " ").last
    )
    try FileManager.default.removeItem(atPath: String(place))
  }
}
