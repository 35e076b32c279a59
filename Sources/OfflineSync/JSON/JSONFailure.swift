/// Why a text is not the JSON that was asked for, and where.
package struct JSONFailure: Error, Equatable {
  package let reason: Reason
  /// Counted in bytes from the start of the text.
  package let offset: Int

  package enum Reason: UInt8, Sendable {
    case unexpectedEnd, unexpectedByte, controlCharacter, invalidUTF8, invalidEscape, loneSurrogate
    case invalidNumber, tooDeep, trailingBytes, notObject, noArray
  }
}

extension JSONFailure: CustomStringConvertible {
  package var description: String { "\(explanation) at byte \(offset)" }

  private var explanation: String {
    switch reason {
    case .unexpectedEnd: "the text ends too early"
    case .unexpectedByte: "unexpected character"
    case .controlCharacter: "control character in a string"
    case .invalidUTF8: "invalid UTF-8"
    case .invalidEscape: "invalid escape"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidNumber: "invalid number"
    case .tooDeep: "nested deeper than \(JSONScanner.maximumDepth)"
    case .trailingBytes: "text after the end of the value"
    case .notObject: "no JSON object"
    case .noArray: "no array of records"
    }
  }
}
