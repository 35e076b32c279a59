/// One JSON object, kept as the bytes it came in (white space between tokens removed).
///
/// Nothing is read before it is asked for, and what nobody edited stays byte for byte: numbers of
/// any length, escapes, the order of members, unknown fields. Equal when these bytes are.
public struct Record: Sendable, Hashable {
  /// Compact UTF-8 JSON text of one object; records of one page may share one buffer.
  package internal(set) var bytes: ArraySlice<UInt8>

  /// The record with these bytes, which are known to be the compact text of one object.
  package init(trusted bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Reads the text of one JSON object.
  ///
  /// - Throws: `SyncError` RECORD_MALFORMED: no JSON object, a lone surrogate, or nested
  ///   deeper than 200.
  public init(json: String) throws { try self.init(json: Array(json.utf8)) }

  /// Reads the UTF-8 text of one JSON object.
  ///
  /// - Throws: `SyncError` RECORD_MALFORMED: no JSON object, bad UTF-8, a lone surrogate, or nested
  ///   deeper than 200.
  public init(json: [UInt8]) throws {
    do {
      bytes = try JSONScanner.compactObject(json)
    } catch {
      throw SyncError(.recordMalformed, "no record: \(error)")
    }
  }

  /// The record with these members.
  public init(_ object: JSON.Object) {
    var bytes: [UInt8] = []
    JSONWriter.append(object, to: &bytes)
    self.bytes = bytes[...]
  }

  /// The compact JSON text.
  public var json: String { String(decoding: bytes, as: UTF8.self) }

  /// The members, read anew at each call.
  public var object: JSON.Object { JSONReader.value(of: bytes).object ?? JSON.Object() }
}

extension Record: CustomStringConvertible, ExpressibleByDictionaryLiteral {
  /// The record with these members in the order of the literal; of equal keys the last counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    var object = JSON.Object()
    for (key, value) in elements { object[key] = value }
    self.init(object)
  }

  /// The compact JSON text.
  public var description: String { json }
}
