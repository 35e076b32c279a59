/// What tells one file or directory from another, whatever their paths are.
package struct FileIdentity: Sendable, Hashable {
  /// The volume it lies on.
  package let volume: UInt64
  /// Its number there.
  package let number: UInt64

  /// An identity.
  package init(volume: UInt64, number: UInt64) {
    self.volume = volume
    self.number = number
  }
}
