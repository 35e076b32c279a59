/// A key of a record's value where no type names one: a place in an array, or a superclass.
struct RecordCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  /// The key under which a superclass lies.
  static let superclass = RecordCodingKey(stringValue: "super")

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension RecordCodingKey {
  /// What went wrong in decoding a record, without any of its content.
  ///
  /// The descriptions of the errors themselves are left out: some quote the value.
  static func message(of error: any Error, reading type: Any.Type) -> String {
    switch error {
    case DecodingError.typeMismatch(let needed, let context):
      "\(place(context.codingPath)) is no \(needed), as \(type) needs"
    case DecodingError.valueNotFound(let needed, let context):
      "\(place(context.codingPath)) is null, where \(type) needs a value of the type \(needed)"
    case DecodingError.keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing, which \(type) needs"
    case DecodingError.dataCorrupted(let context):
      "\(place(context.codingPath)) has a value that \(type) cannot hold as it is"
    default:
      "\(type) could not be read from the record"
    }
  }

  /// What went wrong in encoding a value as a record, without any of its content.
  static func message(of error: any Error, writing type: Any.Type) -> String {
    switch error {
    case EncodingError.invalidValue(_, let context):
      "\(place(context.codingPath)) of \(type) has a value that a record cannot hold"
    default:
      "\(type) could not be written as a record"
    }
  }

  /// A path as one would write it: `items[2].name`.
  private static func place(_ path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
      if let index = (key as? RecordCodingKey)?.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text.isEmpty ? "the record" : "\"\(text)\""
  }
}
