extension [UInt8] {
  /// Appends a copy of the bytes, at about the speed of memory.
  package mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { output in
      for position in bytes.indices { output.append(bytes[position]) }
    }
  }
}
