/// One object of a configuration and where it stands, so that every mistake in it can be named.
struct ConfigurationObject {
  /// The entry: `syncs[1] "contactsUp"`.
  private let place: String
  /// What stands before a key, of an object in the entry: `options.`.
  private let prefix: String
  private var members: JSON.Object

  init(_ json: JSON, at place: String) throws {
    guard let members = json.object else {
      throw SyncError(.configInvalid, "\(place): is \(Self.kind(of: json)), not an object")
    }
    self.init(members, at: place, prefix: "")
  }

  private init(_ members: JSON.Object, at place: String, prefix: String) {
    self.members = members
    self.place = place
    self.prefix = prefix
  }

  var json: JSON { .object(members) }

  /// The members in their order.
  var entries: JSON.Object { members }
}

extension ConfigurationObject {
  /// Refuses every other key.
  func allow(_ keys: [String]) throws {
    for (key, _) in members where !keys.contains(where: { ByteText($0) == ByteText(key) }) {
      throw mistake(key, "is none of \(keys.joined(separator: ", "))")
    }
  }

  func value(_ key: String) -> JSON? { members[key] }

  func text(_ key: String) throws -> String { try required(key, try optionalText(key)) }

  /// A text that is not empty.
  func optionalText(_ key: String) throws -> String? {
    guard let text = try member(key, "a text", \.string) else { return nil }
    guard !text.isEmpty else { throw mistake(key, "is empty") }
    return text
  }

  func array(_ key: String) throws -> [JSON] { try required(key, try optionalArray(key)) }

  func optionalArray(_ key: String) throws -> [JSON]? { try member(key, "an array", \.array) }

  func object(_ key: String) throws -> ConfigurationObject {
    try required(key, try optionalObject(key))
  }

  func optionalObject(_ key: String) throws -> ConfigurationObject? {
    try member(key, "an object", \.object).map {
      ConfigurationObject($0, at: place, prefix: "\(prefix)\(key).")
    }
  }

  /// A list of texts that are not empty.
  func optionalTexts(_ key: String) throws -> [String]? {
    try optionalArray(key)?.enumerated().map { index, json in
      guard let text = json.string, !text.isEmpty else {
        throw mistake("\(key)[\(index)]", "is no text, or an empty one")
      }
      return text
    }
  }

  /// One of these texts.
  func choice<Value>(_ key: String, _ choices: [(String, Value)]) throws -> Value {
    let text = try text(key)
    guard let choice = choices.first(where: { $0.0 == text }) else {
      let names = choices.map(\.0).joined(separator: ", ")
      throw mistake(key, "\(JSON.string(text).text) is none of \(names)")
    }
    return choice.1
  }

  /// The name of the collection, under either of its two keys.
  func collection() throws -> String {
    switch (try optionalText("soupName"), try optionalText("collection")) {
    case (let name?, nil), (nil, let name?): return name
    case (_?, _?): throw mistake("collection", "stands beside soupName, which says the same")
    case (nil, nil): throw mistake("soupName", "is missing")
    }
  }

  /// A mistake under a key.
  func mistake(_ key: String, _ text: String) -> SyncError {
    SyncError(.configInvalid, "\(place): \(prefix)\(key): \(text)")
  }

  mutating func set(_ key: String, _ value: JSON) { members[key] = value }

  /// Makes the path under a key absolute.
  mutating func makeAbsolute(_ key: String, relativeTo folder: URL?) throws {
    let path = try text(key)
    guard !path.utf8.contains(0) else { throw mistake(key, "has a NUL in it") }
    guard let folder, path.utf8.first != UInt8(ascii: "/") else { return }
    var base = folder.absoluteURL.path(percentEncoded: false)
    while base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
    set(key, .string("\(base)/\(path)"))
  }

  private func required<Value>(_ key: String, _ value: Value?) throws -> Value {
    guard let value else { throw mistake(key, "is missing") }
    return value
  }

  private func member<Value>(
    _ key: String,
    _ kind: String,
    _ read: (JSON) -> Value?
  ) throws -> Value? {
    guard let json = members[key] else { return nil }
    guard let value = read(json) else {
      throw mistake(key, "is \(Self.kind(of: json)), not \(kind)")
    }
    return value
  }

  private static func kind(of json: JSON) -> String {
    switch json {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
