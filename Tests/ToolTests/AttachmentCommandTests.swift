import Foundation
import OfflineSync
import Testing

/// The commands about attachments, each as a process of its own.
@Suite(.timeLimit(.minutes(15)))
struct AttachmentCommandTests {
  @Test func `a file goes up from one device and down to the other`() async throws {
    let devices = try AttachmentDirectory()
    let sha256 = AttachmentDirectory.sha256(
      of: try devices.makeFile("photo.jpg", byteCount: 100_001, seed: 1)
    )
    let reference = try await devices.attach("photo.jpg")
    #expect(reference.hasPrefix("me/first/"))
    #expect(reference.hasSuffix(".jpg"))
    try FileManager.default.removeItem(at: devices.url("photo.jpg"))

    let report = try await devices.round("a")
    #expect(report["uploadedAttachments"] == 1)
    #expect(report["attachmentError"] == .null)
    #expect(report["succeeded"] == true)
    #expect(try await devices.row(reference, "a")["state"] == "synced")
    #expect(try await devices.round("a")["uploadedAttachments"] == 0)

    #expect(try await devices.round("b")["uploadedAttachments"] == 0)
    let waiting = try await devices.row(reference, "b")
    #expect(waiting["state"] == "queued")
    #expect(waiting["localPath"] == .null)
    let file = try await devices.resolve(reference, "b")
    #expect(try devices.sha256(file) == sha256)
    let row = try await devices.row(reference, "b")
    #expect(row["state"] == "synced")
    #expect(row["localPath"] == .string(file.path))
    // The second time nothing has to be fetched.
    try FileManager.default.removeItem(at: devices.url("remote/.attachments"))
    #expect(try await devices.resolve(reference, "b") == file)
  }

  @Test func `a row has every field under its name`() async throws {
    let devices = try AttachmentDirectory()
    try devices.makeFile("photo.png", byteCount: 10, seed: 1)
    #expect(try await devices.plain("attachments", "a").status == 1)
    let reference = try await devices.attach("photo.png")
    let lines = try await devices.plain("attachments", "a", "--json").json()
    #expect(lines.count == 1)
    let row = try #require(lines.first)
    #expect(
      row.object?.map(\.key) == [
        "reference", "state", "progress", "error", "errorCode", "localPath", "permanent",
        "attempts", "nextAttempt", "byteCount",
      ]
    )
    #expect(row["reference"] == .string(reference))
    #expect(row["state"] == "queued")
    #expect(row["progress"] == 0)
    #expect(row["error"] == .null)
    #expect(row["errorCode"] == .null)
    #expect(row["permanent"] == false)
    #expect(row["attempts"] == 0)
    #expect(row["nextAttempt"] == 0)
    #expect(row["byteCount"] == 10)
    #expect(try await devices.row(reference, "a") == row)
    let text = try await devices.plain("attachments", "a")
    #expect(text.output.hasPrefix("\(reference): queued, 10 bytes\n    here: "))
  }

  @Test func `cancelled, forgiven, removed`() async throws {
    let devices = try AttachmentDirectory()
    let sha256 = AttachmentDirectory.sha256(
      of: try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    )
    let reference = try await devices.attach("photo.jpg")
    #expect(try await devices.plain("cancel", "a", reference).status == 0)
    #expect(try await devices.row(reference, "a")["state"] == "failed")
    #expect(try await devices.plain("retry", "a", reference).status == 0)
    #expect(try await devices.row(reference, "a")["state"] == "queued")
    let removed = try await devices.plain("remove", "a", reference)
    #expect(removed.status == 0)
    #expect(removed.lines.first?.hasSuffix(sha256) == true)
    #expect(try await devices.plain("attachments", "a", "--json").output == "")
    #expect(try devices.names(in: "a/attachments/content") == [])
  }

  @Test(arguments: ["attachments", "retry", "cancel", "remove"])
  func `a reference without a row is an error`(command: String) async throws {
    let devices = try AttachmentDirectory()
    try await devices.round("a")
    let result = try await devices.plain(command, "a", "me/1/nothing.jpg")
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("error: ATTACHMENT_ROW_GONE: "))
    #expect(result.errors.contains("me/1/nothing.jpg"))
  }

  @Test func `what cannot be resolved prints nothing, and says why`() async throws {
    let devices = try AttachmentDirectory()
    try await devices.round("a")
    let unknown = try await devices.configured("resolve", "a", "me/1/nothing.jpg")
    #expect(unknown.status == 1)
    #expect(unknown.output == "")
    #expect(unknown.errors.hasPrefix("error: ATTACHMENT_ROW_GONE: "))
    try devices.directory.write(
      "remote/cities/x.json",
      #"{"Id":"x","photo":"me/x/y.jpg","lastModifiedDate":"2025-01-01T00:00:00.000Z"}"#
    )
    try await devices.round("a")
    let absent = try await devices.configured("resolve", "a", "me/x/y.jpg")
    #expect(absent.status == 1)
    #expect(absent.output == "")
    #expect(absent.errors.hasPrefix("error: ATTACHMENT_"))
    #expect(absent.errors.contains("me/x/y.jpg"))
  }

  @Test func `what the server lets go of is vacuumed`() async throws {
    let devices = try AttachmentDirectory()
    try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    let reference = try await devices.attach("photo.jpg")
    try await devices.round("a")
    #expect(try devices.names(in: "remote/.attachments").count == 2)
    let id = try #require(try await devices.plain("records", "a", "cities", "--json").json().first)
    #expect(
      try await devices.plain("delete", "a", "cities", try #require(id["id"]?.string)).status == 0
    )
    try await devices.round("a")
    #expect(try await devices.row(reference, "a")["state"] == "orphaned")
    let vacuum = try await devices.configured("vacuum", "a")
    #expect(vacuum.status == 0, "\(vacuum.errors)")
    #expect(vacuum.output.hasPrefix("1 objects deleted, 1 rows removed, "))
    #expect(try devices.names(in: "remote/.attachments") == [])
    #expect(try await devices.plain("attachments", "a", "--json").output == "")
  }

  @Test func `what cannot be attached says why`() async throws {
    let devices = try AttachmentDirectory()
    try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    _ = try await devices.attach("photo.jpg")
    let mistakes = [
      (["cities", "first", "Name", "photo.jpg"], "CONFIG_INVALID"),
      (["cities", "second", "photo", "photo.jpg"], "ATTACHMENT_ROW_GONE"),
      (["cities", "first", "photo", "nothing.jpg"], "TRANSFER"),
    ]
    for (arguments, code) in mistakes {
      let line = devices.line("attach", "a", arguments)
      let result = try await ToolProcess(line, in: devices.directory).result()
      #expect(result.status == 1)
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("error: \(code): "), "\(arguments)")
    }
    try devices.configure(owner: nil)
    let ownerless = try await devices.configured("attach", "a", "cities", "first", "photo", "x")
    #expect(ownerless.errors.hasPrefix("error: ATTACHMENT_OWNER_MISSING: "))
    try devices.configure(type: "pigeon")
    let unknown = try await devices.configured("vacuum", "a")
    #expect(unknown.status == 1)
    #expect(
      unknown.errors.hasPrefix(#"error: CONFIG_INVALID: config.json: attachments: transfer: "#)
    )
  }

  @Test func `bytes that vanished fail the run`() async throws {
    let devices = try AttachmentDirectory()
    let sha256 = AttachmentDirectory.sha256(
      of: try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    )
    let reference = try await devices.attach("photo.jpg")
    try devices.damage(devices.url("a/attachments/content/\(sha256)"))
    let result = try await devices.configured("run", "a", "--json")
    #expect(result.status == 1)
    #expect(result.errors.contains(reference))
    let report = try #require(try result.json().last)
    #expect(report["succeeded"] == false)
    #expect(report["uploadedAttachments"] == 0)
    #expect(report["syncs"]?.array?.map { $0["status"] } == ["done", "done"])
    let row = try await devices.row(reference, "a")
    #expect(row["state"] == "failed")
    #expect(row["errorCode"] != .null)
  }

  @Test func `no reference and no owner leaves the folder`() async throws {
    let devices = try AttachmentDirectory(owner: "../../out")
    let sha256 = AttachmentDirectory.sha256(
      of: try devices.makeFile("photo.jpg", byteCount: 1000, seed: 1)
    )
    let own = try await devices.attach("photo.jpg")
    #expect(!own.contains("../"))
    try await devices.round("a")
    // A peer may write any reference, and any program may put an object there.
    let hostile = "../../../escape/../photo.jpg"
    let bytes = Array(try Data(contentsOf: devices.url("photo.jpg")))
    let upload = AttachmentUpload(
      reference: hostile,
      field: AttachmentField(collection: "cities", record: "x", field: "photo"),
      byteCount: 1000,
      sha256: sha256
    )
    let transfer = FolderTransfer(devices.url("remote"))
    var session = try await transfer.begin(upload)
    session = try await transfer.send(AttachmentChunk(bytes), in: session, for: upload)
    #expect(try await transfer.confirm(upload, in: session)?.sha256 == sha256)
    try devices.directory.write(
      "remote/cities/x.json",
      #"{"Id":"x","photo":"\#(hostile)","lastModifiedDate":"2025-01-01T00:00:00.000Z"}"#
    )
    let before = try devices.names(in: ".")
    try await devices.round("b")
    let file = try await devices.resolve(hostile, "b")
    #expect(file.path == devices.url("b/attachments/content/\(sha256)").path)
    #expect(try devices.sha256(file) == sha256)
    let folders = Set(try devices.names(in: ".")).subtracting(before)
    #expect(
      folders.allSatisfy {
        $0 == "b" || $0.hasSuffix(".in") || $0.hasSuffix(".out") || $0.hasSuffix(".err")
      }
    )
    #expect(Set(try devices.names(in: "remote")).isSubset(of: [".attachments", "cities"]))
    #expect(try devices.names(in: "remote/.attachments").count == 4)
    #expect(try devices.names(in: "remote/.attachments").allSatisfy { !$0.contains("/") })
  }
}
