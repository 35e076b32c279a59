import Foundation
import OfflineSync

/// Where lines are printed, each at once.
enum Output {
  /// Prints a line.
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Prints a line that carries no number but says something about the figures.
  static func note(_ name: String, _ text: String) {
    let object: JSON.Object = ["name": .string(name), "value": .null, "unit": .string(text)]
    line(JSON.object(object).description)
  }

  /// Prints what went wrong.
  static func fail(_ text: String) {
    FileHandle.standardError.write(Data("error: \(text)\n".utf8))
  }
}
