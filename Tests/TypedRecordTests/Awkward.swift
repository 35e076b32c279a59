import OfflineSync

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type with one of everything that a record may have to hold.
struct Awkward: Codable, Sendable, Equatable {
  var id: RecordID
  var isOn = true
  var small: Int8 = -128
  var large: Int64 = .min
  var largest: UInt64 = .max
  var wide: UInt128 = .max
  var ratio = 0.1
  var single: Float = 0.1
  var price = Decimal(string: "12345678901234567890.123456789012345678")
  var text = "a\u{0}\u{1F600}\"\\/e\u{301}\u{e9}\u{2028}"
  var seen = Date(timeIntervalSince1970: 1_700_000_000.123)
  var bytes = Data([0, 255, 62, 63])
  var key = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
  var link = URL(string: "https://example.org/a?b=c#d")
  var whole: JSON = ["n": 1, "list": [1.5, .null, true], "deep": ["k": "v"]]
  var nothing: Int?
  var nullable: JSON? = .null
  var level = Level.high
  var shape = Shape.circle(radius: 1.5, label: nil)
  var shapes: [Shape] = [.point, .path([Point(x: 1, y: -1)])]
  var point: Point? = Point(x: 0, y: 1)
  var grid: [[Int?]] = [[1, nil], [], [nil]]
  var byText = ["b": Point(x: 1, y: 2), "a": Point(x: 3, y: 4)]
  var byNumber: [Int: String] = [10: "ten", -1: "minus one"]
  var byLevel: [Level: Bool] = [.low: false, .high: true]
  var byPoint: [Point: Int] = [Point(x: 1, y: 1): 1, Point(x: 0, y: 0): 0]
  var tags: Set<String> = ["x", "y", "z"]
  var box = Box(Box(7))

  enum Level: String, Codable, Sendable, CodingKeyRepresentable { case low, high }

  enum Shape: Codable, Sendable, Equatable {
    case point
    case circle(radius: Double, label: String?)
    case path([Point])
  }

  struct Point: Codable, Sendable, Hashable {
    var x: Int
    var y: Int
  }

  struct Box<Content: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    var content: Content

    init(_ content: Content) { self.content = content }

    init(from decoder: any Decoder) throws {
      content = try decoder.singleValueContainer().decode(Content.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(content)
    }
  }
}

/// A class, its superclass under a key of its own.
class Animal: Codable {
  let name: String

  init(name: String) { self.name = name }
}

final class Dog: Animal {
  let breed: String?

  private enum CodingKeys: String, CodingKey { case breed }

  init(name: String, breed: String?) {
    self.breed = breed
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    breed = try container.decodeIfPresent(String.self, forKey: .breed)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(breed, forKey: .breed)
    try super.encode(to: container.superEncoder())
  }
}

/// A type that nests its containers by hand.
struct Nested: Codable, Equatable {
  var city: String
  var numbers: [Int]
  var title: String

  private enum Keys: String, CodingKey { case address, numbers, meta }
  private enum AddressKeys: String, CodingKey { case city }

  init(city: String, numbers: [Int], title: String) {
    self.city = city
    self.numbers = numbers
    self.title = title
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    let address = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
    city = try address.decode(String.self, forKey: .city)
    var list = try container.nestedUnkeyedContainer(forKey: .numbers)
    numbers = []
    while !list.isAtEnd {
      var pair = try list.nestedUnkeyedContainer()
      while !pair.isAtEnd {
        if try !pair.decodeNil() { numbers.append(try pair.decode(Int.self)) }
      }
    }
    var meta = try container.nestedUnkeyedContainer(forKey: .meta)
    title = try String(from: meta.superDecoder())
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var address = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
    try address.encode(city, forKey: .city)
    var list = container.nestedUnkeyedContainer(forKey: .numbers)
    for number in numbers {
      var pair = list.nestedUnkeyedContainer()
      try pair.encode(number)
      try pair.encodeNil()
    }
    var meta = container.nestedUnkeyedContainer(forKey: .meta)
    try title.encode(to: meta.superEncoder())
  }
}

/// A value under the one field `v`.
struct One<Value> { var v: Value }
extension One: Encodable where Value: Encodable {}
extension One: Decodable where Value: Decodable {}
extension One: Equatable where Value: Equatable {}
extension One: Sendable where Value: Sendable {}
