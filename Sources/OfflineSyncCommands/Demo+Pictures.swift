import OfflineSync

extension Demo {
  /// Moves pictures from the phone to the tablet; both ways are cut in the middle.
  ///
  /// - Returns: The pictures.
  func movePictures(_ clients: inout Clients) async throws -> [DemoPicture] {
    try say("\n5. Pictures go from the phone to the tablet; both ways are cut in the middle")
    let pictures = try await attach(clients.phone)
    try await cutUpload(pictures, clients.phone)
    clients.phone = try await relaunch(phone, clients.phone)
    try await resumeUpload(pictures, clients.phone)
    try await cutDownload(pictures, clients.tablet)
    clients.tablet = try await relaunch(tablet, clients.tablet)
    try await resumeDownload(pictures, clients.tablet)
    return pictures
  }

  /// How many bytes of the second upload, and of the first download, are on the line when it is cut.
  private static let uploadCut: Int64 = 100_000
  private static let downloadCut: Int64 = 90_000

  private func attach(_ client: SyncClient) async throws -> [DemoPicture] {
    var pictures = DemoPicture.flags()
    for place in pictures.indices {
      let picture = pictures[place]
      pictures[place].reference = try await client.attachments.attach(
        bytes: picture.bytes,
        to: AttachmentField(collection: "countries", record: picture.country, field: "Flag"),
        contentType: "image/bmp"
      )
    }
    let sent = try await run("countriesUp", client).sent
    try expect(sent == pictures.count, "the records that name the pictures are in the folder")
    let countries = pictures.map(\.country.text).joined(separator: ", ")
    try say(
      "   flags are attached to \(countries), \(pictures[0].byteCount) bytes each; "
        + "the records go first: \(sent) sent"
    )
    return pictures
  }

  private func cutUpload(_ pictures: [DemoPicture], _ client: SyncClient) async throws {
    await phone.network.cut(afterBytes: pictures[0].byteCount + Self.uploadCut)
    let completed = try await client.attachments.sync()
    try expect(completed == 1, "one picture is up")
    for picture in pictures {
      guard let status = try await client.attachments.getStatus(picture.reference) else {
        throw SyncError("DEMO_FAILED", "there is no row for the flag of \(picture.country)")
      }
      let code = status.errorCode.map { " (\($0))" } ?? ""
      let share = "\(status.progress) of \(picture.byteCount) bytes confirmed"
      try say("      \(picture.country)  \(status.state)\(code), \(share)")
    }
    let cut = try await client.attachments.getStatus(pictures[1].reference)
    let present = try folder.partByteCount(pictures[1].reference)
    try expect(cut?.errorCode == "NETWORK", "the row says why")
    try expect(
      (1..<Self.uploadCut).contains(cut?.progress ?? 0) && present == Self.uploadCut,
      "the cut was in the middle of a chunk"
    )
    try say("   the line was cut; of \(pictures[1].country) the folder has \(present) bytes")
  }

  private func resumeUpload(_ pictures: [DemoPicture], _ client: SyncClient) async throws {
    let uploaded = try await round(client).uploadedAttachments
    try expect(uploaded == 2, "the other two pictures are up")
    let resumed = await phone.network.traffic(of: pictures[1].reference)
    let rest = pictures[1].byteCount - Self.uploadCut
    try expect(
      resumed == DemoTraffic(start: Self.uploadCut, byteCount: rest),
      "the upload went on at byte \(Self.uploadCut), with \(rest) bytes"
    )
    let others = await phone.network.traffic(of: pictures[0].reference)
    try expect(others.byteCount == 0, "what was up was not sent again")
    try say(
      "   started again, \(uploaded) uploaded; \(pictures[1].country) went on at byte "
        + "\(resumed.start), \(resumed.byteCount) bytes sent"
    )
  }

  private func cutDownload(_ pictures: [DemoPicture], _ client: SyncClient) async throws {
    try await round(client)
    await tablet.network.cut(afterBytes: Self.downloadCut)
    let arrived = try await client.attachments.resolveAll()
    try expect(arrived == 0, "no picture is here")
    try say("   the tablet pulls the records, fetches the pictures, and is cut, too")
  }

  private func resumeDownload(_ pictures: [DemoPicture], _ client: SyncClient) async throws {
    let arrived = try await client.attachments.resolveAll()
    try expect(arrived == pictures.count, "every picture is here")
    var resumed: [(country: RecordID, traffic: DemoTraffic)] = []
    for picture in pictures {
      let traffic = await tablet.network.traffic(of: picture.reference)
      try expect(
        traffic.start + traffic.byteCount == picture.byteCount,
        "no byte was fetched twice"
      )
      if traffic.start > 0 { resumed.append((picture.country, traffic)) }
    }
    try expect(resumed.count == 1, "one download went on in the middle")
    for (country, traffic) in resumed {
      try say(
        "   started again, \(arrived) downloaded; \(country) went on at byte \(traffic.start), "
          + "\(traffic.byteCount) bytes fetched"
      )
    }
  }

  /// The app is quit and started again, with a good network.
  private func relaunch(_ device: DemoDevice, _ client: SyncClient) async throws -> SyncClient {
    try await client.close()
    await device.network.mend()
    return try await device.open()
  }
}
