/// The kinds of journal lines, each the ASCII letter that stands in the line.
package enum JournalKind {
  /// The first line of a file: format, version, minimumReader, store, generation, sequence.
  package static let header = UInt8(ascii: "h")
  /// A collection: number, name, id field, date field.
  package static let collection = UInt8(ascii: "c")
  /// A record's server copy: collection, id token, version, owner, server body.
  package static let record = UInt8(ascii: "r")
  /// A local change: collection, id, version, kind, local body or null.
  package static let local = UInt8(ascii: "l")
  /// A sent operation: collection, id, version, operation id, attempts, notBefore, sent body.
  package static let sent = UInt8(ascii: "s")
  /// A conflict: collection, id, sync, time, remote body, null (deleted) or false (unknown).
  package static let conflict = UInt8(ascii: "x")
  /// A displaced body: collection, id, sync, reason, time, body.
  package static let displaced = UInt8(ascii: "d")
  /// Malformed bytes: collection, sync, time, base64.
  package static let malformed = UInt8(ascii: "m")
  /// A record that is gone: collection, id.
  package static let gone = UInt8(ascii: "g")
  /// A new owner: collection, id, owner.
  package static let owner = UInt8(ascii: "o")
  /// A new id: collection, old id, new id.
  package static let identity = UInt8(ascii: "i")
  /// A failure: collection, id, failure.
  package static let failure = UInt8(ascii: "f")
  /// A sync: number, row with its checkpoint.
  package static let sync = UInt8(ascii: "y")
  /// An attachment: reference, row.
  package static let attachment = UInt8(ascii: "a")
  /// The end of a transaction: sequence, number of its lines, chain.
  package static let commit = UInt8(ascii: "e")
}
