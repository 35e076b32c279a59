import OfflineSync

/// What a crash may leave of one file: each sector and the size as they were at several moments.
///
/// The bytes as they are now lie in the tree; this knows only what differs from them, or could.
struct SimulatedFileHistory: Sendable {
  /// A sector is written whole or not at all.
  static let sectorSize = 512

  private struct Version: Sendable {
    var step: Int
    /// The sector's bytes as far as the file reached then; beyond them zeros.
    var bytes: [UInt8]
    var isCut: Bool
  }

  private struct Size: Sendable {
    var step: Int
    var byteCount: Int
  }

  /// From the durable one to the present one.
  private var sizes: [Size]
  /// The versions of each sector that is not known to be durable as it is, in the same order.
  private var sectors: [Int: [Version]] = [:]
  /// What the next successful sync makes durable; after a failed one nothing that was here.
  private var unsyncedSectors: Set<Int> = []
  private var isSizeUnsynced = false
  private var step = 0

  /// The history of a file that is durable with this size.
  init(byteCount: Int) { sizes = [Size(step: 0, byteCount: byteCount)] }

  /// Whether the file would survive as it is.
  var isSettled: Bool { sizes.count == 1 && sectors.isEmpty }

  /// Changes the bytes in the range and notes what they were.
  ///
  /// - Parameters:
  ///   - bytes: The file's bytes, which the body changes.
  ///   - range: Where the body changes them.
  ///   - body: The change.
  mutating func change(
    _ bytes: inout [UInt8],
    in range: Range<Int>,
    _ body: (inout [UInt8]) -> Void
  ) {
    step += 1
    let touched =
      range.isEmpty
      ? 0..<0
      : (range.lowerBound / Self.sectorSize)..<((range.upperBound - 1) / Self.sectorSize + 1)
    for index in touched where sectors[index] == nil {
      sectors[index] = [Version(step: 0, bytes: Self.sector(index, of: bytes), isCut: false)]
    }
    let oldCount = bytes.count
    body(&bytes)
    for index in touched {
      let version = Version(
        step: step,
        bytes: Self.sector(index, of: bytes),
        isCut: bytes.count < oldCount
      )
      sectors[index, default: []].append(version)
      unsyncedSectors.insert(index)
    }
    if bytes.count != oldCount {
      sizes.append(Size(step: step, byteCount: bytes.count))
      isSizeUnsynced = true
    }
  }

  /// What was changed since the last sync, successful or not, is durable now.
  mutating func sync() {
    for index in unsyncedSectors { sectors[index] = nil }
    if isSizeUnsynced { sizes.removeFirst(sizes.count - 1) }
    unsyncedSectors = []
    isSizeUnsynced = false
  }

  /// Nothing is known of what was changed; the system takes it for written and never tries again.
  mutating func failSync() {
    unsyncedSectors = []
    isSizeUnsynced = false
  }

  /// The bytes that a crash leaves: of the size and of each sector the version picked.
  ///
  /// A size says that every earlier cut is done, as metadata is written in order: a sector that was cut
  /// before shows no bytes from before the cut.
  ///
  /// - Parameters:
  ///   - bytes: The file's bytes as they are now.
  ///   - choices: Picks among the versions.
  /// - Returns: The bytes.
  func survivor(of bytes: [UInt8], _ choices: inout SimulatedChoices) -> [UInt8] {
    let size = sizes[choices.pick(.size, of: sizes.count)]
    var result = bytes
    FileTree.resize(&result, to: size.byteCount)
    for index in sectors.keys.sorted() where index * Self.sectorSize < size.byteCount {
      guard let versions = sectors[index] else { continue }
      let cut = versions.lastIndex { $0.isCut && $0.step <= size.step } ?? 0
      let candidates = Self.distinct(versions[cut...].map(\.bytes))
      let start = index * Self.sectorSize
      let length = min(Self.sectorSize, size.byteCount - start)
      var sector = candidates[choices.pick(.sector, of: candidates.count)]
      FileTree.resize(&sector, to: length)
      result.replaceSubrange(start..<(start + length), with: sector)
    }
    return result
  }

  /// The sector's bytes, without those beyond the file's end.
  private static func sector(_ index: Int, of bytes: [UInt8]) -> [UInt8] {
    let start = min(index * sectorSize, bytes.count)
    return Array(bytes[start..<min(start + sectorSize, bytes.count)])
  }

  /// The versions without those equal to the one before.
  private static func distinct(_ versions: [[UInt8]]) -> [[UInt8]] {
    versions.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}
