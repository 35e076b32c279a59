import OfflineSync

/// The members of a target's configuration, so that every mistake in them is named.
struct TargetMembers {
  private let type: String
  private let members: JSON.Object

  /// The members of `configuration`, which has no others than `keys` and `type`.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  init(_ configuration: JSON, of type: String, keys: [String]) throws {
    guard let members = configuration.object else {
      throw SyncError(.configInvalid, "the target of type \(type) is no object")
    }
    for (key, _) in members where key != "type" && !keys.contains(key) {
      throw SyncError(.configInvalid, "the target of type \(type) has no key \"\(key)\"")
    }
    if let given = members["type"], given.string != type {
      throw SyncError(.configInvalid, "the target's \"type\" is not \"\(type)\"")
    }
    self.type = type
    self.members = members
  }

  /// A mistake under a key.
  func mistake(_ key: String, _ text: String) -> SyncError {
    SyncError(.configInvalid, "the \"\(key)\" of the target of type \(type) \(text)")
  }

  /// A text that is not empty; nil: the key is missing.
  func text(_ key: String) throws -> String? {
    guard let value = members[key] else { return nil }
    guard let text = value.string, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 32 }) else {
      throw mistake(key, "is no text, or an empty one")
    }
    return text
  }

  /// A text that has to be there.
  func required(_ key: String) throws -> String {
    guard let text = try text(key) else { throw mistake(key, "is missing") }
    return text
  }

  /// A whole number of at least `least`; nil: the key is missing.
  func number(_ key: String, atLeast least: Int) throws -> Int? {
    guard let value = members[key] else { return nil }
    guard let number = value.int64.flatMap(Int.init(exactly:)), number >= least else {
      throw mistake(key, "is no whole number of at least \(least)")
    }
    return number
  }

  /// true or false; nil: the key is missing.
  func flag(_ key: String) throws -> Bool? {
    guard let value = members[key] else { return nil }
    guard let flag = value.bool else { throw mistake(key, "is neither true nor false") }
    return flag
  }

  /// One of these texts; nil: the key is missing.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String,
    _ choices: Choice.Type
  ) throws -> Choice? {
    guard let text = try text(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = choices.allCases.map(\.rawValue).joined(separator: ", ")
      throw mistake(key, "is none of \(names)")
    }
    return choice
  }

  /// The address of a server, which ends without a slash.
  func address(_ key: String) throws -> URL {
    var text = try required(key)
    while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
    guard let url = URL(string: text), HTTPOrigin(url) != nil, url.user() == nil,
      url.query() == nil, url.fragment() == nil
    else { throw mistake(key, "is no plain http or https address") }
    return url
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
