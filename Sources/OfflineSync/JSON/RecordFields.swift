/// A record's members as slices of its bytes: what comparing and merging walk.
///
/// Of duplicate keys only the last value is here, in the place of the first.
struct RecordFields {
  struct Field {
    /// The bytes that the key stands for.
    let key: ArraySlice<UInt8>
    /// The key as it is written, quotes included.
    let keyText: ArraySlice<UInt8>
    /// The value as it is written.
    var value: ArraySlice<UInt8>

    var name: String { String(decoding: key, as: UTF8.self) }
  }

  private(set) var fields: [Field] = []
  /// Where each key lies, kept only of large records.
  private var places: [ArraySlice<UInt8>: Int] = [:]
  private static let indexedCount = 16

  init() {}

  init(_ record: Record) {
    let bytes = record.bytes
    let start = bytes.startIndex
    var scanner = MemberScanner()
    while let member = scanner.next(bytes.span) {
      let key = bytes[start + member.key.lowerBound..<start + member.key.upperBound]
      set(
        Field(
          key: member.isKeyEscaped ? JSONReader.unescaped(key)[...] : key,
          keyText: bytes[key.startIndex - 1..<key.endIndex + 1],
          value: bytes[start + member.value.lowerBound..<start + member.value.upperBound]
        )
      )
    }
  }
}

extension RecordFields {
  /// The field with this key; `place` is where it lies if both records have one order.
  func field(_ key: ArraySlice<UInt8>, near place: Int = 0) -> Field? {
    if place < fields.count, fields[place].key == key { return fields[place] }
    return self.place(of: key).map { fields[$0] }
  }

  private func place(of key: ArraySlice<UInt8>) -> Int? {
    fields.count > Self.indexedCount ? places[key] : fields.firstIndex { $0.key == key }
  }

  /// Sets the value of a field; a new one goes last, and an equal value keeps its bytes.
  mutating func set(_ field: Field) {
    if let place = place(of: field.key) {
      if !Self.isSame(fields[place].value, field.value) { fields[place].value = field.value }
      return
    }
    fields.append(field)
    if fields.count == Self.indexedCount + 1 {
      indexAll()
    } else if fields.count > Self.indexedCount {
      places[field.key] = fields.count - 1
    }
  }

  /// Removes a field if it is there.
  mutating func remove(_ key: ArraySlice<UInt8>) {
    guard let place = place(of: key) else { return }
    fields.remove(at: place)
    if fields.count > Self.indexedCount { indexAll() }
  }

  private mutating func indexAll() {
    places.removeAll(keepingCapacity: true)
    for place in fields.indices { places[fields[place].key] = place }
  }

  /// A record of these fields in their order.
  var record: Record {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fields.reduce(2) { $0 + $1.keyText.count + $1.value.count + 2 })
    bytes.append(UInt8(ascii: "{"))
    for (place, field) in fields.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: field.keyText)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: field.value)
    }
    bytes.append(UInt8(ascii: "}"))
    return Record(trusted: bytes[...])
  }
}

extension RecordFields {
  /// Whether two values are equal as `JSON` compares them, read only where bytes cannot tell.
  static func isSame(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    if left == right { return true }
    guard let kind = left.first, kind == right.first else { return false }
    switch kind {
    case UInt8(ascii: "\""):
      guard left.contains(UInt8(ascii: "\\")) || right.contains(UInt8(ascii: "\\")) else {
        return false
      }
      return JSONReader.unescaped(left) == JSONReader.unescaped(right)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return JSONReader.value(of: left) == JSONReader.value(of: right)
    default: return false
    }
  }

  /// Whether two fields, each of which may be missing, are equal.
  static func isSame(_ left: Field?, _ right: Field?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): isSame(left.value, right.value)
    default: false
    }
  }
}
