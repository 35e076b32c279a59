/// What the index knows of one record without reading its body: 24 bytes.
package struct IndexEntry: Sendable {
  private var offsetLow: UInt32 = 0
  private var offsetHigh: UInt16 = 0
  private var headCount: UInt16 = 0
  private var bodyCount: UInt32 = 0
  /// A hash of the server body.
  package var bodyCheck: UInt32 = 0
  /// Where the id lies in the arena.
  package var idPosition: UInt32
  /// The owner's number in the lower 25 bits, flags above.
  private var ownerAndFlags: UInt32 = 0

  /// An entry of nothing but an id.
  package init(idPosition: UInt32) { self.idPosition = idPosition }

  private static let ownerMask: UInt32 = 0x01FF_FFFF
  private enum Flag: UInt32 {
    case present = 0x8000_0000
    case numberID = 0x4000_0000
    case server = 0x2000_0000
    case local = 0x1000_0000
    case detail = 0x0800_0000
    case ownerLine = 0x0400_0000
  }

  private func has(_ flag: Flag) -> Bool { ownerAndFlags & flag.rawValue != 0 }
  private mutating func set(_ flag: Flag, _ isOn: Bool) {
    if isOn { ownerAndFlags |= flag.rawValue } else { ownerAndFlags &= ~flag.rawValue }
  }

  /// Whether there is a record in this slot.
  package var isPresent: Bool {
    get { has(.present) }
    set { set(.present, newValue) }
  }
  /// Whether the id was last written as a number.
  package var isNumberID: Bool {
    get { has(.numberID) }
    set { set(.numberID, newValue) }
  }
  /// Whether it has a server body, which `line` then locates.
  package var hasServer: Bool { has(.server) }
  /// Whether it has a local change; then there is a detail.
  package var isDirty: Bool {
    get { has(.local) }
    set { set(.local, newValue) }
  }
  /// Whether the collection keeps a `RecordDetail` for it.
  package var hasDetail: Bool {
    get { has(.detail) }
    set { set(.detail, newValue) }
  }
  /// Whether an `o` line gave it another owner than its server line says.
  package var hasOwnerLine: Bool {
    get { has(.ownerLine) }
    set { set(.ownerLine, newValue) }
  }
  /// The number of the sync that saved it last; 0: none.
  package var owner: Int64 {
    get { Int64(ownerAndFlags & Self.ownerMask) }
    set {
      let number = newValue >= 0 && newValue <= Int64(Self.ownerMask) ? UInt32(newValue) : 0
      ownerAndFlags = ownerAndFlags & ~Self.ownerMask | number
    }
  }

  /// The line of the server body.
  package var line: JournalLine? {
    guard hasServer else { return nil }
    let offset = Int64(offsetLow) | Int64(offsetHigh) &<< 32
    return JournalLine(
      offset: offset,
      byteCount: Int(headCount) + Int(bodyCount) + 2,
      headByteCount: Int(headCount)
    )
  }

  /// Takes a server body's line and hash; nil: there is none any more.
  package mutating func setServer(_ line: JournalLine?, check: UInt32) {
    set(.server, line != nil)
    offsetLow = UInt32(truncatingIfNeeded: line?.offset ?? 0)
    offsetHigh = UInt16(truncatingIfNeeded: (line?.offset ?? 0) &>> 32)
    headCount = UInt16(truncatingIfNeeded: line?.headByteCount ?? 0)
    bodyCount = UInt32(truncatingIfNeeded: line?.bodyByteCount ?? 0)
    bodyCheck = check
  }
}
