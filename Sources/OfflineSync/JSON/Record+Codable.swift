extension Record {
  /// The record that a value encodes as.
  ///
  /// `Date` becomes ISO 8601 with milliseconds and `Z`, `Data` base64, `RecordID` the id as it was
  /// written, `JSON` and `Decimal` themselves. The members of a dictionary and the elements of a
  /// set are sorted, since their own order changes from launch to launch.
  ///
  /// - Throws: `SyncError` with the code RECORD_MALFORMED and the `EncodingError`, when the value
  ///   encodes as no object, or holds what JSON cannot: NaN, an infinity, a date outside the years
  ///   1 to 9999, more than 200 levels.
  public init(encoding value: some Encodable) throws {
    self = try RecordEncoder.record(of: value, over: nil)
  }

  /// The record with the fields of a value set: what did not change keeps its bytes.
  ///
  /// Fields that the type does not know stay, in nested objects too, and so do fields whose value
  /// is equal: `1.10` to the decimal 1.1, `2026-01-01` to that instant, a UUID in either case. An
  /// optional that is nil removes its field, unless that is `null`. What a dictionary or a `JSON`
  /// in a field does not hold is removed; one that is encoded itself sets the fields it has. An
  /// element of an array is taken for the present one that it equals, else for the one at its place
  /// if any field of both is equal. A `Date` in place of a number is written as milliseconds.
  ///
  /// - Throws: `SyncError` with the code RECORD_MALFORMED, as `init(encoding:)`.
  public init(encoding value: some Encodable, over record: Record) throws {
    self = try RecordEncoder.record(of: value, over: record)
  }

  /// The value of a type that this record holds.
  ///
  /// Nothing is rounded: a number that the type asked for does not hold exactly is an error. A
  /// `Double` or a `Float` holds a number if it prints back as the same number, as with
  /// `JSON.double`. `Date` is read from every form that the library knows, in whole milliseconds.
  /// Where an optional `JSON` is asked for, `null` is `.null`, and nil means that it is missing.
  ///
  /// - Throws: `SyncError` with the code RECORD_MALFORMED and the `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    do {
      return try RecordDecoder.Source(json: .object(object), parentPath: [], key: nil).value(type)
    } catch {
      throw SyncError(
        .recordMalformed,
        RecordCodingKey.message(of: error, reading: type),
        underlying: error
      )
    }
  }
}
