import Foundation
import OfflineSync
import Testing

@Suite(.timeLimit(.minutes(15)))
struct TwoProcessesTests {
  @Test func `the second process may read, but not write`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    let client = try await SyncClient.open(at: URL(filePath: directory.state))
    try await client.store.create(["Id": "b"], in: "cities")
    let owner = "\(ProcessInfo.processInfo.processIdentifier)"

    for line in [
      ["put", "cities"], ["delete", "cities", "a"], ["revert", "cities", "a"],
      ["run", "--config", "config.json"], ["ghosts", "down", "--config", "config.json"],
      ["resolve-conflict", "cities", "a", "local"],
    ] {
      let arguments = line + ["--state", directory.state]
      let result = try await ToolProcess(arguments, input: "{}", in: directory).result()
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("error: STORE_LOCKED: "))
      #expect(result.errors.contains(owner))
    }
    #expect(try await directory.good("records", "cities", "--json").lines.count == 2)
    #expect(try await directory.good("status", "--json").json().first?["status"] == "done")
    #expect(try await directory.good("explain", "cities", "b").output.hasPrefix("cities b: "))
    #expect(try await directory.good("conflicts", "cities", "--json").output == "")
    try await directory.good("doctor")

    try await client.store.create(["Id": "c"], in: "cities")
    #expect(try await directory.good("records", "cities", "--json").lines.count == 3)
    try await client.close()
    try await directory.good("put", "cities", input: "{}")
  }

  @Test func `watch shows what another process does`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    var watch = try LiveToolProcess(["watch", "--state", directory.state], in: directory)
    #expect(await watch.says("down: done 100/1\n"))
    try directory.put("b", name: "Berlin", day: 2)
    try directory.put("c", name: "Cork", day: 2)
    try await directory.pull()
    #expect(await watch.says("down: done 100/2\n"))
    watch.send(SIGTERM)
    let result = try await watch.result()
    #expect(result.status == nil)
    #expect(!result.output.contains("\u{1B}"))
  }
}
