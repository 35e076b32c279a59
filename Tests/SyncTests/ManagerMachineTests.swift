import OfflineSync
import Testing

struct ManagerMachineTests {
  enum Call: CaseIterable {
    case stopIdle, stopBusy, restart, check, runEnded, lastRunEnded
  }

  enum Answer: Equatable {
    case becomes(SyncManagerState)
    case throwsCode(SyncError.Code)
    case waits
  }

  static let table: [(SyncManagerState, Call, Answer)] = [
    (.acceptingSyncs, .stopIdle, .becomes(.stopped)),
    (.acceptingSyncs, .stopBusy, .becomes(.stopRequested)),
    (.acceptingSyncs, .restart, .throwsCode(.syncManagerCannotRestart)),
    (.acceptingSyncs, .check, .becomes(.acceptingSyncs)),
    (.acceptingSyncs, .runEnded, .becomes(.acceptingSyncs)),
    (.acceptingSyncs, .lastRunEnded, .becomes(.acceptingSyncs)),
    (.stopRequested, .stopIdle, .becomes(.stopRequested)),
    (.stopRequested, .stopBusy, .becomes(.stopRequested)),
    (.stopRequested, .restart, .waits),
    (.stopRequested, .check, .throwsCode(.syncManagerStopped)),
    (.stopRequested, .runEnded, .becomes(.stopRequested)),
    (.stopRequested, .lastRunEnded, .becomes(.stopped)),
    (.stopped, .stopIdle, .becomes(.stopped)),
    (.stopped, .stopBusy, .becomes(.stopped)),
    (.stopped, .restart, .becomes(.acceptingSyncs)),
    (.stopped, .check, .throwsCode(.syncManagerStopped)),
    (.stopped, .runEnded, .becomes(.stopped)),
    (.stopped, .lastRunEnded, .becomes(.stopped)),
  ]

  private func machine(_ state: SyncManagerState) -> ManagerMachine {
    var machine = ManagerMachine()
    switch state {
    case .acceptingSyncs: break
    case .stopRequested: machine.stop(activeCount: 1)
    case .stopped: machine.stop(activeCount: 0)
    }
    return machine
  }

  @Test(arguments: table)
  func `every state answers every call`(
    _ state: SyncManagerState,
    _ call: Call,
    _ expected: Answer
  ) throws {
    var machine = machine(state)
    #expect(machine.state == state)
    var answer: Answer?
    do {
      switch call {
      case .stopIdle: machine.stop(activeCount: 0)
      case .stopBusy: machine.stop(activeCount: 2)
      case .restart: if try machine.restart() == .wait { answer = .waits }
      case .check: try machine.checkAccepting()
      case .runEnded: machine.runEnded(activeCount: 1)
      case .lastRunEnded: machine.runEnded(activeCount: 0)
      }
    } catch let error as SyncError {
      answer = .throwsCode(error.code)
      #expect(machine.state == state)
    }
    #expect(answer ?? .becomes(machine.state) == expected)
  }

  @Test func `the table is whole`() {
    #expect(Self.table.count == 3 * Call.allCases.count)
  }
}
