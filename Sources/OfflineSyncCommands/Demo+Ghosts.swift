import OfflineSync

extension Demo {
  /// Removes files, which no pull can see, and cleans what they leave on both devices.
  func cleanGhosts(_ clients: Clients) async throws {
    try say("\n6. Three files are removed from the folder")
    let (name, collection) = ("timezonesDown", "timezones")
    let ghosts: [RecordID] = ["Antarctica/Troll", "Antarctica/Rothera", "Antarctica/Vostok"]
    for id in ghosts { try folder.remove(id, in: collection) }
    for (device, client) in [(phone, clients.phone), (tablet, clients.tablet)] {
      let counts = try await run(name, client)
      for id in ghosts {
        let ghost = try await client.store.record(id, in: collection)
        try expect(ghost != nil, "\(id) is still here")
      }
      let removed = try await client.manager.cleanResyncGhosts(name)
      try expect(removed == ghosts.count, "three ghosts are removed")
      for id in ghosts {
        let ghost = try await client.store.record(id, in: collection)
        try expect(ghost == nil, "\(id) is gone")
      }
      try say(
        "   \(device.name): a pull cannot see that (\(counts.summary)), "
          + "cleaning ghosts removes \(removed)"
      )
    }
  }
}
