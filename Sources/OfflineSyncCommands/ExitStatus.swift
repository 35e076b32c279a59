/// What the process says to whoever started it.
package enum ExitStatus: Int32, Sendable {
  /// Everything was done; conflicts are no failure.
  case good = 0
  /// Something failed, malformed and failed records included.
  case failed = 1
  /// The arguments make no sense.
  case usage = 2
}
