// How the elements of an encoded array are found again among those that are there. Nothing names
// them, so that an element is a present one if it says the same, with whatever fields of it the
// type does not know.
extension RecordEncoder.Writer {
  /// The texts of an array's elements where there are none.
  func texts(of node: Node) throws -> [ArraySlice<UInt8>] {
    let texts = try node.elements.map { try Self.text(of: $0) }
    switch node.order {
    case .given: return texts
    case .none: return texts.sorted { $0.lexicographicallyPrecedes($1) }
    case .pairs:
      return Self.pairs(texts).sorted { $0[0].lexicographicallyPrecedes($1[0]) }.flatMap { $0 }
    }
  }

  /// The texts of an array's elements over present ones.
  func texts(
    of node: Node,
    over present: [ArraySlice<UInt8>]
  ) throws -> [ArraySlice<UInt8>] {
    switch node.order {
    case .given: try Self.ordered(node.elements, over: present)
    case .none: try Self.unordered(node.elements.map { [$0] }, over: present.map { [$0] })
    case .pairs: try Self.unordered(Self.pairs(node.elements), over: Self.pairs(present))
    }
  }

  private static func pairs<Element>(_ elements: [Element]) -> [[Element]] {
    stride(from: 0, to: elements.count, by: 2).map { start in
      Array(elements[start..<min(start + 2, elements.count)])
    }
  }

  /// Most comparisons that finding moved elements may cost.
  private static var comparisonLimit: Int { 1 << 16 }

  private static func ordered(
    _ elements: [Value],
    over present: [ArraySlice<UInt8>]
  ) throws -> [ArraySlice<UInt8>] {
    var texts: [ArraySlice<UInt8>?] = Array(repeating: nil, count: elements.count)
    var sources: [Int?] = Array(repeating: nil, count: elements.count)
    var isUsed = Array(repeating: false, count: present.count)
    func keep(_ element: Int, _ place: Int) throws -> Bool {
      guard try text(of: elements[element], over: present[place]) == present[place] else {
        return false
      }
      texts[element] = present[place]
      sources[element] = place
      isUsed[place] = true
      return true
    }
    let common = min(elements.count, present.count)
    var front = 0
    while front < common, try keep(front, front) { front += 1 }
    var back = 0
    while back < common - front, try keep(elements.count - 1 - back, present.count - 1 - back) {
      back += 1
    }
    let changed = front..<elements.count - back
    let open = front..<present.count - back
    if changed.count * open.count <= comparisonLimit {
      for element in changed {
        for place in open where !isUsed[place] {
          if try keep(element, place) { break }
        }
      }
    }
    // What was edited lies between the same neighbours as before.
    var next = front
    for element in changed {
      if let source = sources[element] {
        next = source + 1
      } else if next < open.upperBound, !isUsed[next],
        try shareField(elements[element], present[next])
      {
        texts[element] = try text(of: elements[element], over: present[next])
        next += 1
      }
    }
    return try elements.indices.map { try texts[$0] ?? text(of: elements[$0]) }
  }

  /// Whether a field of an encoded object has the value that it has in a present one.
  private static func shareField(_ value: Value, _ present: ArraySlice<UInt8>) throws -> Bool {
    guard case .node(let node) = value, case .object = node.shape,
      present.first == UInt8(ascii: "{")
    else { return false }
    for member in CompactText.members(of: present) {
      guard let place = node.place(of: member.key) else { continue }
      if try text(of: node.members[place].value, over: member.value) == member.value { return true }
    }
    return false
  }

  /// Keeps the order of present groups that are still there; new ones follow, sorted.
  private static func unordered(
    _ groups: [[Value]],
    over present: [[ArraySlice<UInt8>]]
  ) throws -> [ArraySlice<UInt8>] {
    var places: [[ArraySlice<UInt8>]: [Int]] = [:]
    for (place, group) in present.enumerated().reversed() {
      places[group, default: []].append(place)
    }
    var kept: [Int] = []
    var added: [[Value]] = []
    for group in groups {
      if let place = places[try group.map { try text(of: $0) }]?.popLast() {
        kept.append(place)
      } else {
        added.append(group)
      }
    }
    var isUsed = Array(repeating: false, count: present.count)
    for place in kept { isUsed[place] = true }
    let mayCompare = added.count * (present.count - kept.count) <= comparisonLimit
    var new: [[ArraySlice<UInt8>]] = []
    for group in added {
      let place =
        try mayCompare
        ? present.indices.first { try !isUsed[$0] && keeps(group, present[$0]) } : nil
      if let place {
        kept.append(place)
        isUsed[place] = true
      } else {
        new.append(try group.map { try text(of: $0) })
      }
    }
    new.sort { $0[0].lexicographicallyPrecedes($1[0]) }
    return kept.sorted().flatMap { present[$0] } + new.flatMap { $0 }
  }

  private static func keeps(_ group: [Value], _ present: [ArraySlice<UInt8>]) throws -> Bool {
    guard group.count == present.count else { return false }
    for (value, text) in zip(group, present) where try self.text(of: value, over: text) != text {
      return false
    }
    return true
  }
}
