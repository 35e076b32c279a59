import OfflineSync

extension String {
  /// The text as one word of a command that can be pasted into a shell.
  var word: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
        true
      default: "-_./:=@%+,".utf8.contains(byte)
      }
    }
    if isPlain, !isEmpty { return shown }
    return
      "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
      .shown
  }
}
