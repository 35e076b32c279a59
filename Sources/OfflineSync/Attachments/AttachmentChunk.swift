/// A part of the local file, read from disk when asked for.
public struct AttachmentChunk: Sendable {
  /// Where it starts in the file.
  public let offset: Int64
  /// Its size.
  public let byteCount: Int64
  /// Whether it ends the file.
  public let isLast: Bool
  /// The whole local file, for transports that stream from disk; nil in memory.
  public let file: URL?
  private let source: Source

  private enum Source: Sendable {
    case bytes([UInt8])
    case file(ContentFile)
  }

  /// A chunk of bytes that are given.
  public init(_ bytes: [UInt8], offset: Int64 = 0, isLast: Bool = true) {
    self.offset = offset
    byteCount = Int64(bytes.count)
    self.isLast = isLast
    file = nil
    source = .bytes(bytes)
  }

  /// A chunk of a file that is read when it is asked for.
  package init(of content: ContentFile, _ range: Range<Int64>) {
    offset = range.lowerBound
    byteCount = range.upperBound - range.lowerBound
    isLast = range.upperBound == content.byteCount
    file = content.url
    source = .file(content)
  }

  /// Its bytes.
  ///
  /// - Throws: `SyncError` STORE when the file is gone or changed.
  public func bytes() throws -> [UInt8] { try bytes(in: offset..<(offset + byteCount)) }

  /// A part of its bytes; the range counts from the start of the file, and must lie in the chunk.
  ///
  /// - Throws: `SyncError` STORE when the file is gone or changed, or the range leaves the chunk.
  public func bytes(in range: Range<Int64>) throws -> [UInt8] {
    guard range.lowerBound >= offset, range.upperBound <= offset + byteCount else {
      throw SyncError(.store, "the chunk has bytes \(offset) to \(offset + byteCount) only")
    }
    switch source {
    case .bytes(let bytes):
      return Array(bytes[Int(range.lowerBound - offset)..<Int(range.upperBound - offset)])
    case .file(let content): return try content.read(range)
    }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
