import OfflineSync
import Testing

@Suite(.timeLimit(.minutes(15)))
struct GateTests {
  @Test func `all who wait are let go`() async {
    let gate = Gate()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do {
            try await gate.wait()
            return true
          } catch {
            return false
          }
        }
      }
      gate.open()
      for await opened in group { #expect(opened) }
    }
    #expect(gate.isOpen)
  }

  @Test func `an open gate lets everybody through at once`() async throws {
    let gate = Gate()
    gate.open()
    gate.open()
    try await gate.wait()
    await gate.waitUncancelled()
  }

  @Test(arguments: 0..<50)
  func `a cancelled waiter leaves`(_ round: Int) async {
    let gate = Gate()
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          try await gate.wait()
          return true
        } catch {
          return false
        }
      }
      if round.isMultiple(of: 2) { await Task.yield() }
      group.cancelAll()
      for await opened in group { #expect(!opened) }
    }
  }

  @Test func `who must see the end waits in a cancelled task too`() async {
    let gate = Gate()
    await withTaskGroup { group in
      group.addTask {
        await gate.waitUncancelled()
        #expect(gate.isOpen)
      }
      group.cancelAll()
      await Task.yield()
      gate.open()
    }
  }
}
