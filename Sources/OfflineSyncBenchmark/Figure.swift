import Foundation
import OfflineSync

/// One measured number, and what it should be.
struct Figure {
  /// What is to be reached.
  enum Target {
    case atLeast(Double)
    case atMost(Double)
  }

  let name: String
  let value: Double
  let unit: String
  var target: Target?

  /// Prints the figure as one line.
  func report() {
    var object: JSON.Object = [
      "name": .string(name), "value": Self.number(value), "unit": .string(unit),
    ]
    switch target {
    case .atLeast(let bound):
      object["target"] = .string(">= \(Self.number(bound))")
      object["holds"] = .bool(value >= bound)
    case .atMost(let bound):
      object["target"] = .string("<= \(Self.number(bound))")
      object["holds"] = .bool(value <= bound)
    case nil: break
    }
    Output.line(JSON.object(object).description)
  }

  /// The number with about four digits, which is more than a measurement is worth.
  private static func number(_ value: Double) -> JSON {
    guard value.isFinite, value != 0 else { return 0 }
    let digits = max(0, 3 - Int(log10(abs(value)).rounded(.down)))
    let power = pow(10, Double(min(digits, 9)))
    let rounded = (value * power).rounded() / power
    return rounded == rounded.rounded() ? .int64(Int64(rounded)) : .double(rounded)
  }
}

extension [Double] {
  /// The middle one; of an even number the upper middle.
  var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}

extension Duration {
  /// As a number of seconds.
  var seconds: Double { self / .seconds(1) }
}
