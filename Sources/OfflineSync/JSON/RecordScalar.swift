#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type that is one value in a record, whatever its own way of coding would make of it.
protocol RecordScalar {
  /// Reads the value.
  init(source: RecordDecoder.Source) throws
  /// The value as it is written; nil if JSON has none for it.
  var json: JSON? { get }
  /// Whether a JSON value is this one, written in another way.
  func isSame(as json: JSON) -> Bool
  /// The value as it is written in place of another.
  func json(over present: JSON) -> JSON?
}

extension RecordScalar {
  func json(over present: JSON) -> JSON? { json }
}

extension JSON: RecordScalar {
  init(source: RecordDecoder.Source) throws { self = source.json }
  var json: JSON? { self }
  func isSame(as json: JSON) -> Bool { self == json }
}

extension RecordID: RecordScalar {
  init(source: RecordDecoder.Source) throws {
    guard let id = RecordID(token: source.json) else { throw source.mismatch(RecordID.self) }
    self = id
  }

  var json: JSON? { token }
  func isSame(as json: JSON) -> Bool { RecordID(token: json) == self }
}

extension Decimal: RecordScalar {
  init(source: RecordDecoder.Source) throws {
    guard let value = try source.number(for: Decimal.self).decimal else {
      throw source.inexact(Decimal.self)
    }
    self = value
  }

  var json: JSON? { isNaN ? nil : .decimal(self) }
  func isSame(as json: JSON) -> Bool { json.decimal == self }
}

extension UUID: RecordScalar {
  init(source: RecordDecoder.Source) throws {
    guard let id = UUID(uuidString: try source.string(for: UUID.self)) else {
      throw source.inexact(UUID.self)
    }
    self = id
  }

  var json: JSON? { .string(uuidString) }
  func isSame(as json: JSON) -> Bool { json.string.flatMap(UUID.init(uuidString:)) == self }
}

extension Data: RecordScalar {
  init(source: RecordDecoder.Source) throws {
    guard let data = Data(base64Encoded: try source.string(for: Data.self)) else {
      throw source.inexact(Data.self)
    }
    self = data
  }

  var json: JSON? { .string(base64EncodedString()) }
  func isSame(as json: JSON) -> Bool { json.string.flatMap { Data(base64Encoded: $0) } == self }
}

extension URL: RecordScalar {
  init(source: RecordDecoder.Source) throws {
    guard let url = URL(string: try source.string(for: URL.self)) else {
      throw source.inexact(URL.self)
    }
    self = url
  }

  var json: JSON? { .string(absoluteString) }

  func isSame(as json: JSON) -> Bool {
    json.string.flatMap(URL.init(string:))?.absoluteString == absoluteString
  }
}

extension Date: RecordScalar {
  init(source: RecordDecoder.Source) throws {
    guard let milliseconds = DateText.milliseconds(source.json) else {
      switch source.json {
      case .string, .number: throw source.inexact(Date.self)
      default: throw source.mismatch(Date.self)
      }
    }
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  var json: JSON? { milliseconds.map { .string(DateText.text($0)) } }

  func isSame(as json: JSON) -> Bool {
    DateText.milliseconds(json).map { $0 == milliseconds } ?? false
  }

  /// A server that counts milliseconds goes on getting them.
  func json(over present: JSON) -> JSON? {
    guard case .number = present else { return json }
    return milliseconds.map { JSON($0) }
  }

  /// Milliseconds since 1970, floored; nil outside the years 1 to 9999.
  private var milliseconds: Int64? {
    let exact = timeIntervalSince1970 * 1000
    // A date that was made of whole milliseconds is only nearly whole, and must not lose one.
    let error = max(timeIntervalSince1970.ulp, timeIntervalSinceReferenceDate.ulp) * 1000
    let nearest = exact.rounded()
    let whole = abs(exact - nearest) <= error ? nearest : exact.rounded(.down)
    return Int64(exactly: whole).flatMap { DateText.range.contains($0) ? $0 : nil }
  }
}
