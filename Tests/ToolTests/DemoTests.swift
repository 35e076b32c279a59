import Foundation
import OfflineSync
import Testing

@Suite(.timeLimit(.minutes(15)))
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
    #expect(
      last == "verified: 559 records in 2 collections are equal on the phone, the tablet and in "
        + "the folder, 3 pictures have equal SHA-256, every byte of both stores verifies"
    )
    #expect((70...95).contains(result.lines.count))
    #expect(!result.output.contains("\u{1B}"))
    // The line that ends the demo is longer, and so may be the names of temporary folders.
    #expect(result.lines.dropFirst(4).dropLast().allSatisfy { $0.count <= 100 })
    for (number, line) in Self.keyLines.enumerated() {
      #expect(result.lines.contains { $0.contains(line) }, "\(number): \(line)")
    }
    let place = try #require(result.lines.dropFirst().first?.dropFirst(2))
    #expect(!FileManager.default.fileExists(atPath: String(place)))
  }

  /// What each chapter shows.
  private static let keyLines = [
    "A folder with 561 records plays the server",
    "timezonesDown  stopped   38 % of 312",
    "it fetched 194 records of 312, not all of them",
    "the tablet pulls, too: 561 records",
    "countriesDown: 1 fetched, 1 stored; here is now Czechia",
    #"kept aside, for 30 days: "Bohemia""#,
    "the phone sends it as OtherName: the folder has both",
    "timezonesUp: 1 skipped, 1 conflicts, 0 sent; both sides are kept:",
    #"remote  "Lisbon, Porto, Faro""#,
    "resolved as local: 1 sent, the folder has the phone's",
    #"resolved with both texts; the phone pulls: "Japan, no summer time""#,
    "2 are in the folder, 3 wait on the phone",
    "the next round sends 3: 5 sends in all, none twice, none lost",
    "asked, not sent again: 1 send, 1 Atlantis in folder and devices",
    "FR  failed (NETWORK), 98304 of 180054 bytes confirmed",
    "FR went on at byte 100000, 80054 bytes sent",
    "AT went on at byte 65536, 114518 bytes fetched",
    "phone: a pull cannot see that (nothing to do), cleaning ghosts removes 3",
    "tablet: a pull cannot see that (nothing to do), cleaning ghosts removes 3",
    "the edit of Pacific/Auckland outlived it: 1 sent",
    "countries: 250 files, as many records on each, all equal",
    "timezones: 309 files, as many records on each, all equal",
    "flag of JP: 3 files, SHA-256 ",
  ]

  @Test func `a folder without the records is named`() async throws {
    let directory = try TestDirectory()
    let result = try await directory.tool("demo")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: CONFIG_INVALID: Fixtures/demo has no config.json"))
  }

  /// What is changed in a copy of the records or configurations, and how the demo fails then.
  enum Sabotage: CaseIterable {
    case noTimeZones, noRecord, otherID, merges, overwrites, noPush, noPictures, noTablet

    var error: String {
      switch self {
      case .noTimeZones: "error: "
      case .noRecord: "error: RECORD_NOT_FOUND: "
      case .otherID: "error: DEMO_FAILED: not so: the tablet has stored every record"
      case .merges: "error: DEMO_FAILED: not so: the folder's copy stands"
      case .overwrites: "error: DEMO_FAILED: not so: nothing is sent, it is a conflict"
      case .noPush: "error: DEMO_FAILED: not so: the folder's copy stands"
      case .noPictures: "error: CONFIG_INVALID: "
      case .noTablet: "error: CONFIG_INVALID: "
      }
    }

    func change(_ folder: URL) throws {
      switch self {
      case .noTimeZones: try remove("remote/timezones", folder)
      case .noRecord: try remove("remote/countries/%43%5A.json", folder)
      case .otherID:
        let file = folder.appending(path: "remote/countries/x.json")
        try Data(#"{"Id":"y"}"#.utf8).write(to: file)
      case .merges: try edit(folder, "config.json", "\"OVERWRITE\"", "\"MERGE\"")
      case .overwrites: try edit(folder, "config.json", "LEAVE_IF_CHANGED", "OVERWRITE")
      case .noPush: try edit(folder, "tablet.json", "syncUp", "syncDown")
      case .noPictures: try edit(folder, "config.json", "\"Flag\"", "\"Picture\"")
      case .noTablet: try remove("tablet.json", folder)
      }
    }

    private func remove(_ path: String, _ folder: URL) throws {
      try FileManager.default.removeItem(at: folder.appending(path: path))
    }

    private func edit(_ folder: URL, _ path: String, _ text: String, _ other: String) throws {
      let file = folder.appending(path: path)
      let before = try String(contentsOf: file, encoding: .utf8)
      try #require(before.contains(text))
      try Data(before.replacingOccurrences(of: text, with: other).utf8).write(to: file)
    }
  }

  @Test(arguments: Sabotage.allCases)
  func `records that are not as the demo needs them fail it`(sabotage: Sabotage) async throws {
    let directory = try TestDirectory()
    let copy = directory.url.appending(path: "fixtures")
    try FileManager.default.copyItem(atPath: Self.fixtures, toPath: copy.path)
    try sabotage.change(copy)
    let result = try await directory.tool("demo", "--fixtures", "fixtures")
    #expect(result.status == 1)
    #expect(result.errors.contains(sabotage.error), "\(result.errors)")
    #expect(!result.output.contains("verified"))
    let place = try #require(
      result.errors.split(separator: "\n").first?.split(separator: " ").last
    )
    try FileManager.default.removeItem(atPath: String(place))
  }
}
