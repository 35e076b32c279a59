import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// The rules of transfers, without a server.
struct TransferRuleTests {
  private static func response(_ status: Int, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
    HTTPResponse(status, headers: headers)
  }

  private static func isRetryable(_ verdict: TusVerdict) -> Bool? {
    switch verdict {
    case .failed(let error), .look(let error), .smaller(let error), .locked(let error):
      error.isRetryable
    default: nil
    }
  }

  @Test(arguments: TusStep.allCases)
  func `every refusal has a meaning, and none is taken for good`(_ step: TusStep) {
    for status in 300..<600 {
      let verdict = TusVerdict.of(Self.response(status), to: step, now: 0)
      #expect(Self.text(of: verdict) == Self.meaning(of: status, to: step), "\(status)")
    }
  }

  private static func meaning(of status: Int, to step: TusStep) -> String {
    switch (status, step) {
    case (404, .probe), (410, .probe), (404, .terminate), (410, .terminate): "gone"
    case (404, .send), (410, .send): "failed ATTACHMENT_UPLOAD_EXPIRED true"
    case (401, _): "failed AUTHENTICATION false"
    case (423, .probe), (423, .send), (423, .terminate): "locked TRANSFER true"
    case (413, .send), (413, .createWithUpload): "smaller TRANSFER false"
    case (403, _), (408, _), (409, _), (423, _), (425, _), (429, _), (460, _), (500..., _):
      "failed TRANSFER true"
    case (412, _), (..<400, _), (_, .create), (_, .createWithUpload), (_, .terminate):
      "failed TRANSFER false"
    case (_, .probe): "failed ATTACHMENT_UPLOAD_EXPIRED true"
    case (_, .send): "look TRANSFER false"
    }
  }

  private static func text(of verdict: TusVerdict) -> String {
    switch verdict {
    case .good: "good"
    case .gone: "gone"
    case .withoutChecksum: "withoutChecksum"
    case .locked(let error): "locked \(error.code) \(error.isRetryable)"
    case .smaller(let error): "smaller \(error.code) \(error.isRetryable)"
    case .look(let error): "look \(error.code) \(error.isRetryable)"
    case .failed(let error): "failed \(error.code) \(error.isRetryable)"
    }
  }

  @Test
  func `400 to a checksum drops the checksum, and 412 names the versions`() {
    let refused = TusVerdict.of(Self.response(400), to: .send, hasChecksum: true, now: 0)
    #expect(refused == .withoutChecksum)
    let version = TusVerdict.of(Self.response(412, ["Tus-Version": "0.2"]), to: .probe, now: 0)
    guard case .failed(let error) = version else {
      Issue.record("\(version)")
      return
    }
    #expect(error.message.contains("0.2") && error.httpStatus == 412)
    let busy = TusVerdict.of(Self.response(503, ["Retry-After": "7"]), to: .send, now: 0)
    guard case .failed(let wish) = busy else {
      Issue.record("\(busy)")
      return
    }
    #expect(wish.retryAfter == .seconds(7) && wish.httpStatus == 503)
  }

  @Test(arguments: [
    (TusStep.create, "Location", "/files/1"), (.createWithUpload, "Location", "/files/1"),
    (.probe, "Upload-Offset", "0"), (.send, "Upload-Offset", "12"),
  ])
  func `a good answer needs its field, as a number where it is one`(
    _ step: TusStep,
    _ name: String,
    _ value: String
  ) {
    var headers: HTTPHeaders = [:]
    let without = TusVerdict.of(Self.response(204, headers), to: step, now: 0)
    #expect(Self.isRetryable(without) == true)
    headers[name.lowercased()] = value
    #expect(TusVerdict.of(Self.response(204, headers), to: step, now: 0) == .good)
    guard name == "Upload-Offset" else { return }
    for bad in ["", "-1", "+1", "1.0", "0x1", "99999999999999999999"] {
      headers[name] = bad
      #expect(TusVerdict.of(Self.response(204, headers), to: step, now: 0) != .good, "\(bad)")
    }
  }

  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
  ])
  func `SHA-1 gives the digests of FIPS 180-4`(_ text: String, _ hex: String) {
    #expect(SHA1.digest(of: Array(text.utf8)) == ObjectDigest.bytes(ofHexDigits: hex))
  }

  @Test(arguments: [
    ("Repr-Digest", "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", true),
    ("Repr-Digest", "md5=:abc=:, sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", true),
    ("Digest", "SHA-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", true),
    ("Digest", "sha=abc, SHA-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", true),
    ("Repr-Digest", "sha-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", false),
    ("Repr-Digest", "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIA:", false),
    ("Repr-Digest", "sha-512=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", false),
    ("Repr-Digest", ":", false), ("Digest", "", false),
  ])
  func `a hash that a server tells is read, and nothing else taken for one`(
    _ name: String,
    _ value: String,
    _ isHash: Bool
  ) {
    var headers: HTTPHeaders = [:]
    headers[name] = value
    let expected = isHash ? SHA256.hexDigest(of: Array("abc".utf8)) : nil
    #expect(ObjectDigest.sha256(in: headers) == expected)
  }
}

/// Transfers in configuration files.
struct TransferConfigurationTests {
  private static let transports = HTTPTransports { name in
    guard name == "LOGIN" else { throw SyncError(.configInvalid, "no \(name)") }
    return { _ in "token" }
  }

  @Test
  func `tus and WebDAV are known by name`() throws {
    let tus = try #require(
      try Self.transports.transfer([
        "type": "tus", "url": "https://host/files/", "objects": "https://host/objects/",
        "credentials": "LOGIN", "chunkByteCount": 1000,
      ]) as? TusTransfer
    )
    #expect(tus.endpoint.absoluteString == "https://host/files/")
    #expect(tus.objects.absoluteString == "https://host/objects" && tus.chunkByteCount == 1000)
    let webDAV = try #require(
      try Self.transports.transfer(["type": "webdav", "url": "https://host/folder/"])
        as? WebDAVTransfer
    )
    #expect(webDAV.root.absoluteString == "https://host/folder")
    #expect(webDAV.chunkByteCount == .max)
    #expect(try Self.transports.transfer(["type": "folder", "path": "/x"]) == nil)
  }

  @Test(arguments: [
    (#"{"type": "tus", "objects": "https://host/objects"}"#, "url"),
    (#"{"type": "tus", "url": "https://host/files"}"#, "objects"),
    (#"{"type": "tus", "url": "https://host/files", "objects": "https://other/"}"#, "objects"),
    (#"{"type": "tus", "url": "ftp://host/files", "objects": "https://host/"}"#, "url"),
    (
      #"{"type": "tus", "url": "https://host/f", "objects": "https://host/", "chunkByteCount": 0}"#,
      "chunkByteCount"
    ),
    (
      #"{"type": "tus", "url": "https://host/f", "objects": "https://host/", "colour": 1}"#,
      "colour"
    ),
    (#"{"type": "webdav"}"#, "url"), (#"{"type": "webdav", "url": "https://a:b@host/"}"#, "url"),
    (#"{"type": "webdav", "url": "https://host/", "path": "x"}"#, "path"),
    (#"{"type": "webdav", "url": "https://host/", "credentials": "OTHER"}"#, "OTHER"),
  ])
  func `a mistake in a transfer's configuration is named`(_ text: String, _ key: String) throws {
    let configuration = try JSON(parsing: Array(text.utf8))
    let error = #expect(throws: SyncError.self) {
      try Self.transports.transfer(configuration)
    }
    #expect(error?.code == .configInvalid && error?.message.contains(key) == true)
  }
}
