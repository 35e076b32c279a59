import Foundation

/// Which cases of a large table one part of it takes.
enum Sample {
  /// How many parts run beside each other.
  static let parts = 8

  // Where the thread sanitizer watches, a tenth of the cases shows all the code there is to see.
  private static let step = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil ? 1 : 11

  static func takes(_ number: Int, in part: Int) -> Bool {
    number % parts == part && number / parts % step == 0
  }
}
