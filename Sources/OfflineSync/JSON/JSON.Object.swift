extension JSON {
  /// Members in their order; keys compare as UTF-8 bytes, and of duplicate keys the last counts.
  ///
  /// A duplicate read from text takes the place of the first with the value of the last.
  public struct Object: Sendable {
    private var members: [(key: String, value: JSON)] = []
    /// Where each key lies, kept only of large objects: below that, looking at each is quicker.
    private var places: [ByteText: Int] = [:]
    private static let indexedCount = 16

    /// An object without members.
    public init() {}
  }
}

extension JSON.Object {
  /// The member with this key; assigning nil removes it, a new key goes last.
  public subscript(key: String) -> JSON? {
    get { place(of: key).map { members[$0].value } }
    set {
      switch (place(of: key), newValue) {
      case (let place?, let value?): members[place].value = value
      case (nil, let value?): append(key, value)
      case (let place?, nil): remove(at: place)
      case (nil, nil): break
      }
    }
  }

  private func place(of key: String) -> Int? {
    let key = ByteText(key)
    guard members.count > Self.indexedCount else {
      return members.firstIndex { ByteText($0.key) == key }
    }
    return places[key]
  }

  private mutating func append(_ key: String, _ value: JSON) {
    members.append((key, value))
    if members.count == Self.indexedCount + 1 {
      for place in members.indices { places[ByteText(members[place].key)] = place }
    } else if members.count > Self.indexedCount {
      places[ByteText(key)] = members.count - 1
    }
  }

  private mutating func remove(at place: Int) {
    members.remove(at: place)
    places.removeAll()
    guard members.count > Self.indexedCount else { return }
    for place in members.indices { places[ByteText(members[place].key)] = place }
  }
}

extension JSON.Object: RandomAccessCollection {
  /// The place of the first member.
  public var startIndex: Int { 0 }
  /// The place after the last member.
  public var endIndex: Int { members.count }
  /// The member at this place.
  public subscript(position: Int) -> (key: String, value: JSON) { members[position] }
}

extension JSON.Object: Hashable {
  /// Compares the members, whatever their order.
  public static func == (left: JSON.Object, right: JSON.Object) -> Bool {
    guard left.count == right.count else { return false }
    for (place, member) in left.members.enumerated() {
      // The same order on both sides is the usual case, and then no key is searched.
      let other = right.members[place]
      if ByteText(other.key) == ByteText(member.key) {
        guard other.value == member.value else { return false }
      } else {
        guard right[member.key] == member.value else { return false }
      }
    }
    return true
  }

  /// Hashes the members, whatever their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var single = Hasher()
      single.combine(ByteText(member.key))
      single.combine(member.value)
      sum &+= single.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
  /// The members in the order of the literal; of equal keys the last counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    for (key, value) in elements { self[key] = value }
  }
}
