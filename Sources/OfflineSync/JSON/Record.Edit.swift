extension Record {
  /// A field's value; nil when it is missing.
  ///
  /// Assigning changes that member's bytes alone, and not even those when the value is equal; nil
  /// removes the member, `.null` stays, a new field goes last.
  public subscript(field: String) -> JSON? {
    get { lastMember(Array(field.utf8)).map { JSONReader.value(of: slice($0.value)) } }
    set {
      guard let newValue else { return remove(Array(field.utf8)) }
      var value: [UInt8] = []
      JSONWriter.append(newValue, to: &value)
      var key: [UInt8] = []
      JSONWriter.append(field, to: &key)
      set(Array(field.utf8), keyText: key[...], value: value[...])
    }
  }

  /// Sets the fields that `fields` has, with their bytes, and keeps every other one.
  public mutating func assign(_ fields: Record) {
    for field in RecordFields(fields).fields {
      set(Array(field.key), keyText: field.keyText, value: field.value)
    }
  }

  /// The member that counts for a key: of duplicates the last.
  private func lastMember(_ key: [UInt8]) -> MemberScanner.Member? {
    var found: MemberScanner.Member?
    var scanner = MemberScanner()
    while let member = scanner.next(bytes.span) {
      if member.isKey(key.span, in: bytes.span) { found = member }
    }
    return found
  }

  private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
    bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
  }

  private mutating func set(
    _ key: [UInt8],
    keyText: ArraySlice<UInt8>,
    value: ArraySlice<UInt8>
  ) {
    var edited: [UInt8] = []
    edited.reserveCapacity(bytes.count + keyText.count + value.count + 2)
    if let member = lastMember(key) {
      guard !RecordFields.isSame(slice(member.value), value) else { return }
      edited.append(contentsOf: slice(0..<member.value.lowerBound))
      edited.append(contentsOf: value)
      edited.append(contentsOf: slice(member.value.upperBound..<bytes.count))
    } else {
      edited.append(contentsOf: slice(0..<bytes.count - 1))
      if bytes.count > 2 { edited.append(UInt8(ascii: ",")) }
      edited.append(contentsOf: keyText)
      edited.append(UInt8(ascii: ":"))
      edited.append(contentsOf: value)
      edited.append(UInt8(ascii: "}"))
    }
    bytes = edited[...]
  }

  /// Removes every member with this key: an earlier duplicate must not show through.
  private mutating func remove(_ key: [UInt8]) {
    guard lastMember(key) != nil else { return }
    var edited: [UInt8] = [UInt8(ascii: "{")]
    edited.reserveCapacity(bytes.count)
    var scanner = MemberScanner()
    while let member = scanner.next(bytes.span) {
      if member.isKey(key.span, in: bytes.span) { continue }
      if edited.count > 1 { edited.append(UInt8(ascii: ",")) }
      edited.append(contentsOf: slice(member.key.lowerBound - 1..<member.value.upperBound))
    }
    edited.append(UInt8(ascii: "}"))
    bytes = edited[...]
  }
}
