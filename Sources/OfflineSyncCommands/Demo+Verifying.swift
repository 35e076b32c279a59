import OfflineSync

extension Demo {
  /// Compares both devices with the folder: every record, every picture, every byte of the stores.
  func verify(_ pictures: [DemoPicture], _ change: RecordID) async throws {
    let clients = Clients(
      phone: try await recover(change),
      tablet: try await tablet.open()
    )
    try await round(clients.tablet)
    try say("\n8. Both devices are compared with the folder")
    let collections = try folder.collections()
    var equal = 0
    for collection in collections {
      let files = try folder.records(in: collection)
      try await compare(clients.phone.store, collection, files)
      try await compare(clients.tablet.store, collection, files)
      try say("   \(collection): \(files.count) files, as many records on each, all equal")
      equal += files.count
    }
    for picture in pictures { try await compare(picture, clients) }
    for (device, client) in [(phone, clients.phone), (tablet, clients.tablet)] {
      try await client.close()
      let findings = try StoreDoctor.verify(SystemFileSystem(), at: device.state.path)
      try expect(findings.isEmpty, "every byte of the \(device.name)'s store verifies")
    }
    try say(
      "\nverified: \(equal) records in \(collections.count) collections are equal on the phone, "
        + "the tablet and in the folder, \(pictures.count) pictures have equal SHA-256, "
        + "every byte of both stores verifies"
    )
  }

  /// Compares what a device has with the files, both ways; nothing waits and nothing is open.
  private func compare(
    _ store: Store,
    _ collection: String,
    _ files: [RecordID: Record]
  ) async throws {
    let records = try await store.records(in: collection)
    try expect(records.count == files.count, "\(collection) has a record for each file")
    for stored in records {
      try expect(stored.change == nil, "\(stored.id) is clean")
      try expect(files[stored.id] == stored.record, "\(stored.id) equals its file")
    }
    let conflicts = try await store.conflicts(in: collection)
    try expect(conflicts.isEmpty, "\(collection) has no conflict")
  }

  /// Compares the hashes of what was drawn, and of the three files.
  private func compare(_ picture: DemoPicture, _ clients: Clients) async throws {
    var files = [folder.object(picture.reference)]
    for client in [clients.phone, clients.tablet] {
      let named = try await client.store.record(picture.country, in: "countries")?.record["Flag"]
      try expect(named?.string == picture.reference, "\(picture.country) names its flag")
      guard let path = try await client.attachments.resolve(picture.reference) else {
        throw SyncError("DEMO_FAILED", "the flag of \(picture.country) is not here")
      }
      files.append(URL(filePath: path))
    }
    for file in files {
      let hash = SHA256.hexDigest(of: try SystemFileSystem().read(file.path))
      try expect(hash == picture.sha256, "\(file.path) is the flag as it was drawn")
    }
    try say(
      "   flag of \(picture.country): \(files.count) files, SHA-256 \(picture.sha256.prefix(16))…"
    )
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
