import OfflineSync
import OfflineSyncTesting
import Testing

struct RunQueueTests {
  private func ticket(
    _ run: UInt64,
    _ collections: Set<String>,
    in ancestors: Set<UInt64> = []
  ) -> RunQueue.Ticket {
    RunQueue.Ticket(run: run, collections: collections, ancestors: ancestors)
  }

  @Test func `runs of one collection follow one another in order`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["a"])) == false)
    #expect(queue.enter(ticket(3, ["a"])) == false)
    #expect(queue.leave(1) == [2])
    #expect(queue.leave(2) == [3])
    #expect(queue.leave(3) == [])
  }

  @Test func `others run side by side up to the capacity`() {
    var queue = RunQueue(capacity: 2)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["b"])) == true)
    #expect(queue.enter(ticket(3, ["c"])) == false)
    #expect(queue.enter(ticket(4, ["d"])) == false)
    #expect(queue.leave(2) == [3])
    #expect(queue.leave(1) == [4])
  }

  @Test(arguments: [0, -1])
  func `there is room for one run at least`(_ capacity: Int) {
    var queue = RunQueue(capacity: capacity)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["b"])) == false)
  }

  @Test func `nobody overtakes one that needs several collections`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["a", "b"])) == false)
    #expect(queue.enter(ticket(3, ["b"])) == false, "b is spoken for")
    #expect(queue.enter(ticket(4, ["c"])) == true)
    #expect(queue.leave(1) == [2])
    #expect(queue.leave(2) == [3])
  }

  @Test func `a freed place goes to the one that has waited longest`() {
    var queue = RunQueue(capacity: 1)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["a"])) == false)
    #expect(queue.enter(ticket(3, ["b"])) == false)
    #expect(queue.leave(1) == [2])
  }

  @Test func `the ticket of one who gives up vanishes`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["a", "b"])) == false)
    #expect(queue.enter(ticket(3, ["b"])) == false)
    #expect(queue.leave(2) == [3])
    #expect(queue.leave(2) == [])
    #expect(queue.leave(1) == [])
  }

  @Test func `a run inside a run does not wait for what that run holds`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["a"], in: [1])) == nil)
    #expect(queue.enter(ticket(3, ["b"], in: [1])) == true)
    #expect(queue.enter(ticket(4, ["a", "c"], in: [1, 3])) == nil)
    #expect(queue.leave(1) == [])
  }

  @Test func `a run inside a run needs no place of its own`() {
    var queue = RunQueue(capacity: 1)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["b"])) == false)
    #expect(queue.enter(ticket(3, ["b"], in: [1])) == true)
    #expect(queue.leave(1) == [], "b is still held by the inner run")
    #expect(queue.leave(3) == [2])
  }

  @Test func `two runs do not wait for each other from inside`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["b"])) == true)
    #expect(queue.enter(ticket(3, ["b"], in: [1])) == false)
    #expect(queue.enter(ticket(4, ["a"], in: [2])) == nil)
    #expect(queue.leave(2) == [3])
  }

  @Test func `nor do three in a ring, nor behind one that waits`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["b"])) == true)
    #expect(queue.enter(ticket(3, ["c"])) == true)
    #expect(queue.enter(ticket(4, ["b", "d"], in: [1])) == false)
    #expect(queue.enter(ticket(5, ["c"], in: [2])) == false)
    #expect(queue.enter(ticket(6, ["a"], in: [3])) == nil)
    #expect(queue.enter(ticket(7, ["d"], in: [3])) == nil, "d is kept for run 4, which waits for 3")
    #expect(queue.enter(ticket(8, ["e"], in: [3])) == true)
  }

  @Test func `a run inside a run goes before those that wait outside`() {
    var queue = RunQueue(capacity: 4)
    #expect(queue.enter(ticket(1, ["a"])) == true)
    #expect(queue.enter(ticket(2, ["b"])) == true)
    #expect(queue.enter(ticket(3, ["b"])) == false)
    #expect(queue.enter(ticket(4, ["b"], in: [1])) == false)
    #expect(queue.leave(2) == [4])
    #expect(queue.leave(4) == [3])
  }

  /// Any order of comings and goings: no two overlap, capacity holds, and whoever waits gets a turn.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func `everyone gets a turn, and nobody shares one`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var queue = RunQueue(capacity: 3)
    var collections: [UInt64: Set<String>] = [:]
    var active: Set<UInt64> = []
    var waiting: Set<UInt64> = []
    func leave(_ run: UInt64) throws {
      active.remove(run)
      waiting.remove(run)
      for next in queue.leave(run) {
        try #require(waiting.remove(next) != nil)
        active.insert(next)
      }
    }
    for run: UInt64 in 1...400 {
      let names = ["a", "b", "c", "d", "e"].filter { _ in Int.random(in: 0..<3, using: &random) == 0
      }
      collections[run] = Set(names)
      let entry = queue.enter(ticket(run, Set(names)))
      try #require(entry != nil)
      if entry == true { active.insert(run) } else { waiting.insert(run) }
      if Bool.random(using: &random), let left = (active.union(waiting)).sorted().first {
        try leave(left)
      }
      #expect(active.count <= 3, "seed \(seed)")
      let held = active.flatMap { collections[$0] ?? [] }
      #expect(Set(held).count == held.count, "seed \(seed)")
    }
    while let run = active.sorted().first { try leave(run) }
    #expect(waiting.isEmpty, "seed \(seed)")
  }
}
