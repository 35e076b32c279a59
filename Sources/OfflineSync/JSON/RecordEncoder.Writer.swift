extension RecordEncoder {
  /// Writes what a value encodes as, and keeps the bytes of what is there already.
  struct Writer {
    private(set) var bytes: [UInt8] = []
  }
}

extension RecordEncoder.Writer {
  typealias Value = RecordEncoder.Value
  typealias Node = RecordEncoder.Node

  /// Writes a value where there is none.
  mutating func write(_ value: Value) throws {
    switch value {
    case .json(let json), .scalar(_, let json): JSONWriter.append(json, to: &bytes)
    case .node(let node):
      switch node.shape {
      case .single(let single): try write(single)
      case .nothing, .object: try writeObject(node, over: [])
      case .array: writeList(try texts(of: node))
      case .contradiction: throw contradiction(node)
      }
    }
  }

  /// Writes a value where this text is: the text itself if it says the same.
  mutating func write(_ value: Value, over present: ArraySlice<UInt8>) throws {
    switch value {
    case .json(let json):
      guard !Self.isSame(json, JSONReader.value(of: present)) else {
        bytes += present
        return
      }
      JSONWriter.append(json, to: &bytes)
    case .scalar(let scalar, let json):
      let there = JSONReader.value(of: present)
      guard !scalar.isSame(as: there) else {
        bytes += present
        return
      }
      JSONWriter.append(scalar.json(over: there) ?? json, to: &bytes)
    case .node(let node):
      switch node.shape {
      case .single(let single): try write(single, over: present)
      case .object where present.first == UInt8(ascii: "{"):
        try writeObject(node, over: CompactText.members(of: present))
      case .array where present.first == UInt8(ascii: "["):
        writeList(try texts(of: node, over: CompactText.elements(of: present)))
      default: try write(value)
      }
    }
  }

  /// The text of a value, over another text if there is one.
  static func text(
    of value: Value,
    over present: ArraySlice<UInt8>? = nil
  ) throws -> ArraySlice<UInt8> {
    var writer = RecordEncoder.Writer()
    if let present {
      try writer.write(value, over: present)
    } else {
      try writer.write(value)
    }
    return writer.bytes[...]
  }

  /// Compares numbers by value and all else as it is written.
  static func isSame(_ value: JSON, _ present: JSON) -> Bool {
    guard case (.number(let left), .number(let right)) = (value, present) else {
      return value == present
    }
    return left == right || JSON.Number.Value(left) == JSON.Number.Value(right)
  }

  private mutating func writeObject(_ node: Node, over present: [CompactText.Member]) throws {
    var last: [ByteText: Int] = [:]
    for (place, member) in present.enumerated() { last[member.key] = place }
    var isWritten = Array(repeating: false, count: node.members.count)
    bytes.append(UInt8(ascii: "{"))
    for (place, member) in present.enumerated() {
      if let own = node.place(of: member.key), let winner = last[member.key], winner == place {
        isWritten[own] = true
        writeSeparator()
        bytes += member.keyText
        bytes.append(UInt8(ascii: ":"))
        try write(node.members[own].value, over: member.value)
      } else if !node.lacks(member.key) || isNull(present, last[member.key], in: node) {
        writeSeparator()
        bytes += member.keyText
        bytes.append(UInt8(ascii: ":"))
        bytes += member.value
      }
    }
    var added = node.members.indices.filter { !isWritten[$0] }.map { node.members[$0] }
    if node.order != .given { added.sort { ByteText($0.key) < ByteText($1.key) } }
    for member in added {
      writeSeparator()
      JSONWriter.append(member.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      try write(member.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Whether the member that counts is null, which is what an optional that is nil reads as.
  private func isNull(_ present: [CompactText.Member], _ place: Int?, in node: Node) -> Bool {
    guard !node.isWhole, let place else { return false }
    return present[place].value.first == UInt8(ascii: "n")
  }

  private mutating func writeList(_ texts: [ArraySlice<UInt8>]) {
    bytes.append(UInt8(ascii: "["))
    for text in texts {
      writeSeparator()
      bytes += text
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes the comma before a member or an element that is not the first.
  private mutating func writeSeparator() {
    guard let byte = bytes.last, byte != UInt8(ascii: "{"), byte != UInt8(ascii: "[") else {
      return
    }
    bytes.append(UInt8(ascii: ","))
  }

  private func contradiction(_ node: Node) -> EncodingError {
    RecordEncoder.invalid(node, at: node.codingPath, "the value encodes as two kinds of value")
  }
}
