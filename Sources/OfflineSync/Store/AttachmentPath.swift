/// The paths of attachment files, as rows hold them: from the attachments' folder on.
///
/// Names are hashes, never anything that a server or a peer chose.
package enum AttachmentPath {
  /// The folder of verified bytes.
  package static let content = "content"
  /// The folder of unfinished downloads.
  package static let downloads = "downloads"
  /// The ending of a file that is being written.
  package static let temporarySuffix = ".tmp"
  /// The ending of an unfinished download.
  package static let partialSuffix = ".part"

  /// Where the bytes with this hash lie.
  package static func content(of sha256: String) -> String { "\(content)/\(sha256)" }

  /// Where an import lies until its hash is known.
  package static func temporary(_ id: String) -> String {
    "\(content)/\(SHA256.hexDigest(of: Array(id.utf8)))\(temporarySuffix)"
  }

  /// Where a download of this reference lies until it is whole.
  package static func partial(of reference: String) -> String {
    "\(downloads)/\(SHA256.hexDigest(of: Array(reference.utf8)))\(partialSuffix)"
  }

  /// Whether a path is that of verified bytes.
  package static func isContent(_ path: String) -> Bool {
    path.hasPrefix("\(content)/") && SHA256.isHexDigest(String(path.dropFirst(content.count + 1)))
  }

  /// Whether a path is one of those above, so that the library may delete the file.
  package static func isOwn(_ path: String) -> Bool {
    if isContent(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let suffix = parts[0] == content ? temporarySuffix : partialSuffix
    guard parts[0] == content || parts[0] == downloads, parts[1].hasSuffix(suffix) else {
      return false
    }
    return SHA256.isHexDigest(String(parts[1].dropLast(suffix.count)))
  }
}
