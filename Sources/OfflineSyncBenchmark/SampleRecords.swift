import OfflineSync
import OfflineSyncTesting

/// Records of about 225 bytes with UUID ids, the same in every run.
struct SampleRecords {
  /// How many records a page has.
  static let pageSize = 2000

  /// The UUID of the record with this number, in no order.
  static func id(_ number: Int) -> String {
    var random = SeededRandom(seed: UInt64(number) &* 0x2545_F491_4F6C_DD1D)
    let high = random.next()
    let low = random.next()
    let digits = hexadecimal(high) + hexadecimal(low)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0] }
    return String(decoding: Array(parts.joined(separator: [UInt8(ascii: "-")])), as: UTF8.self)
  }

  /// The JSON text of the page with this number; in every round each body is another one.
  static func page(_ number: Int, round: Int, size: Int = pageSize) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(size * 232)
    for place in number * size..<(number + 1) * size {
      text.append(UInt8(ascii: place == number * size ? "[" : ","))
      append(place, round: round, to: &text)
    }
    text.append(UInt8(ascii: "]"))
    return text
  }

  /// One record.
  static func record(_ number: Int, round: Int) throws -> Record {
    var text: [UInt8] = []
    append(number, round: round, to: &text)
    return try Record(json: text)
  }

  private static func append(_ number: Int, round: Int, to text: inout [UInt8]) {
    let minute = 100 + number % 600
    let time = "\(minute / 60 + 10):\(minute % 60 + 10)".prefix(5)
    text += #"{"Id":""#.utf8
    text += id(number).utf8
    text +=
      #"","Name":"Anna Example \#(number)","Email":"anna.\#(number)@example.com","Phone":""#.utf8
    text +=
      #"+49 30 \#(1_000_000 + number)","City":"Berlin","Active":true,"Revenue":\#(number).50,"#.utf8
    text +=
      #""Version":\#(round),"lastModifiedDate":"2024-0\#(1 + round % 9)-0\#(1 + number % 9)T\#(time):00.000Z"}"#
      .utf8
  }

  private static func hexadecimal(_ value: UInt64) -> [UInt8] {
    (0..<16).reversed().map { place in
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * place) & 15)
      return digit < 10 ? 48 + digit : 87 + digit
    }
  }
}
