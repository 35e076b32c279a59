import OfflineSync

extension SimulatedDisk {
  /// What a power failure now can leave, each on a disk of its own.
  ///
  /// First what is durable and nothing else, then everything, then one kind of thing new and the others
  /// old. After these come all other states if there are no more than `limit`, or else random ones.
  func survivors(limit: Int, seed: UInt64) -> [SimulatedDisk] {
    precondition(limit > 0, "the limit is a number of states, and one always survives")
    var collection = Collection(limit: limit)
    _ = collection.add(self, .newest([]))
    let newest = collection.add(self, .newest([.entry, .size, .sector]))
    let mixtures: [Set<SimulatedChoices.Kind>] = [
      [.entry, .size], [.entry, .sector], [.entry], [.size, .sector],
    ]
    for kinds in mixtures { _ = collection.add(self, .newest(kinds)) }
    if !newest.hasAlternatives(beyond: limit) {
      var everything = collection
      if everything.addAll(of: self, trying: limit) { return everything.states }
    }
    var random = SeededRandom(seed: seed)
    // Chance repeats itself, the more the fewer states are left.
    for _ in 0..<(limit * 4) where collection.states.count < limit {
      _ = collection.add(self, .random(&random))
    }
    if collection.states.count < limit { _ = collection.addAll(of: self, trying: limit) }
    return collection.states
  }

  private struct Collection {
    let limit: Int
    var states: [SimulatedDisk] = []
    private var seen: Set<[Int]> = []

    init(limit: Int) { self.limit = limit }

    /// Adds the first so many of all states; answers whether there are no more.
    mutating func addAll(of disk: SimulatedDisk, trying count: Int) -> Bool {
      var choices: SimulatedChoices? = .first
      for _ in 0..<count {
        guard let current = choices else { break }
        choices = add(disk, current).next()
      }
      return choices == nil
    }

    /// Adds the state that the choices lead to, unless it is there; answers with what was chosen.
    mutating func add(_ disk: SimulatedDisk, _ choices: SimulatedChoices) -> SimulatedChoices {
      var choices = choices
      let state = disk.survivor(&choices)
      if seen.insert(choices.picks.map(\.index)).inserted, states.count < limit {
        states.append(state)
      }
      return choices
    }
  }

  /// The disk that the choices leave.
  private func survivor(_ choices: inout SimulatedChoices) -> SimulatedDisk {
    var entries = entries
    for step in survivingSteps(&choices) {
      for change in step.changes {
        entries[change.directory, default: [:]][change.name] = change.node
      }
    }
    var directories: [FileTree.NodeID: [[UInt8]: FileTree.NodeID]] = [:]
    var files: Set<FileTree.NodeID> = []
    var unread = [FileTree.root]
    while let id = unread.popLast() {
      guard tree.node(id).isDirectory else {
        files.insert(id)
        continue
      }
      guard directories[id] == nil else { continue }
      directories[id] = entries[id, default: [:]]
      unread += entries[id, default: [:]].values
    }
    var contents: [FileTree.NodeID: FileTree.Node] = [:]
    for id in files.sorted() {
      let node = tree.node(id)
      let bytes = histories[id]?.survivor(of: node.bytes, &choices) ?? node.bytes
      contents[id] = FileTree.Node(bytes: bytes, modified: node.modified)
    }
    var disk = SimulatedDisk(
      tree: FileTree(directories: directories, files: contents, keepsDetached: true)
    )
    disk.capacity = capacity
    return disk
  }

  /// The steps that survive: one that does brings along those before it on the same entries.
  private func survivingSteps(_ choices: inout SimulatedChoices) -> [EntryStep] {
    var needed: Set<Slot> = []
    var kept: [EntryStep] = []
    for step in steps.reversed()
    where
      step.unsynced.isEmpty || !needed.isDisjoint(with: step.slots)
      || choices.pick(.entry, of: 2) == 1
    {
      needed.formUnion(step.slots)
      kept.append(step)
    }
    return kept.reversed()
  }
}
