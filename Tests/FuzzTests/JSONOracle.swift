import Foundation

/// What another reader of JSON says, with the rules in which ours differs on purpose.
enum JSONOracle {
  enum Verdict {
    case good(Any)
    case bad
    /// The other reader cannot tell.
    case unsure
  }

  /// Judges a text.
  ///
  /// Ours differs so: bad UTF-8 is refused, one byte order mark is passed over, nesting ends at 200, and
  /// numbers may be of any size.
  static func verdict(_ bytes: [UInt8]) -> Verdict {
    let bytes = withoutMark(bytes)
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { return .bad }
    // The other reader takes a second mark too.
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return .bad }
    do {
      let value = try JSONSerialization.jsonObject(
        with: Data(bytes),
        options: .fragmentsAllowed
      )
      // The other reader forgives a comma behind the last element.
      return depth(bytes) > 200 || hasCommaAtEnd(bytes) ? .bad : .good(value)
    } catch {
      return hasHugeNumber(bytes) || depth(bytes) > 200 && depth(bytes) <= 512 ? .unsure : .bad
    }
  }

  static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// The bytes without the white space between tokens, of a good text.
  static func compact(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isInString = false
    var isEscaped = false
    for byte in withoutMark(bytes) {
      if isInString {
        result.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if !isWhiteSpace(byte) {
        result.append(byte)
        isInString = byte == UInt8(ascii: "\"")
      }
    }
    return result
  }

  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Whether an array or an object ends with a comma.
  private static func hasCommaAtEnd(_ bytes: [UInt8]) -> Bool {
    var isInString = false
    var isEscaped = false
    var last: UInt8 = 0
    for byte in bytes where isInString || !isWhiteSpace(byte) {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if last == UInt8(ascii: ","), byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        return true
      }
      last = byte
    }
    return false
  }

  /// The deepest nesting, strings left out.
  static func depth(_ bytes: [UInt8]) -> Int {
    var depth = 0
    var deepest = 0
    var isInString = false
    var isEscaped = false
    for byte in bytes {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  /// Whether a number may be beyond what the other reader can hold.
  private static func hasHugeNumber(_ bytes: [UInt8]) -> Bool {
    var digits = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits += 1
        if digits >= 3 { return true }
      default: digits = 0
      }
    }
    return false
  }
}
