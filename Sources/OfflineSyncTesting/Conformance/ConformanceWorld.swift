public import OfflineSync

/// A user's server as a conformance check sees it: closures that do to it what other people would do.
///
/// Use a server, or a part of one, that holds nothing of value: the check creates, changes and deletes.
/// A closure that is nil says that the server, or its test, cannot do this; the guarantees that need it
/// are then reported as not applicable. What a closure throws ends the check and is thrown by it.
///
/// ```swift
/// var world = ConformanceWorld(collection: "contacts")
/// world.create = { fields in try await server.post(fields) }
/// world.change = { id, fields in try await server.patch(id, fields) }
/// world.delete = { id in try await server.delete(id) }
/// let report = try await checkConformance(of: ContactsTarget(server), in: world)
/// #expect(report.holds, "\(report)")
/// ```
public struct ConformanceWorld: Sendable {
  /// The collection that the target serves.
  public var collection: String
  /// How many records a check creates at most; more than fit in two pages of the target.
  public var recordCount = 7
  /// The fields of the sample record with this number, without id and date; two texts at least.
  ///
  /// Two numbers give records that differ in their first field; the second one is cleared and left alone.
  public var makeFields: @Sendable (Int) -> Record = { number in
    ["Name": .string("Conformance \(number)"), "City": .string("Town \(number % 3)")]
  }
  /// Fields whose values must come and go unchanged; nil: the server keeps none such.
  public var exactFields: Record? = ConformanceWorld.exactFields
  /// Fields that the server refuses; nil: it takes everything.
  public var refusedFields: Record?
  /// Options of the syncs that the target is used with: `overlap` and `mergeMode` are honoured.
  public var options = SyncOptions()
  /// How much later than its date a record may become visible on this server.
  public var lateness: Duration = .seconds(2)
  /// How long a cancelled call may take to come back.
  public var patience: Duration = .seconds(5)
  /// How large the attachments are that a transfer is tried with, in bytes; three chunks of them are sent.
  public var attachmentByteCount = 30_000
  /// The record and field that attachments belong to; nil: one that does not exist.
  public var attachmentField: AttachmentField?
  /// Time, chance and ids; with `setHanging` its clock has to go by itself.
  public var environment = SyncClient.Environment.live

  /// Removes all records, so that each check begins on an empty server.
  public var empty: (@Sendable () async throws -> Void)?
  /// Creates a record with these fields, as another device would; its id.
  public var create: (@Sendable (Record) async throws -> RecordID)?
  /// Creates a record with exactly this modification date, in milliseconds since 1970; its id.
  ///
  /// Whatever the date, it is visible from now on: so several share a date, and one comes late.
  public var createDated: (@Sendable (Record, Int64) async throws -> RecordID)?
  /// Sets these fields of a record, as another device would, with a later modification date.
  public var change: (@Sendable (RecordID, Record) async throws -> Void)?
  /// Deletes a record, as another device would.
  public var delete: (@Sendable (RecordID) async throws -> Void)?
  /// The record as the server has it, byte for byte; nil: it has none.
  public var read: (@Sendable (RecordID) async throws -> Record?)?
  /// The ids of all records that the server has.
  public var list: (@Sendable () async throws -> [RecordID])?
  /// Makes every cursor and checkpoint that was given out invalid.
  public var expireCursors: (@Sendable () async throws -> Void)?
  /// false: the server cannot be reached, or answers 500, until it is called with true.
  public var setAvailable: (@Sendable (Bool) async throws -> Void)?
  /// false: the server answers 401, as to a session that has expired, until it is called with true.
  public var setAuthorized: (@Sendable (Bool) async throws -> Void)?
  /// true: calls reach the server and get no answer, until it is called with false.
  public var setHanging: (@Sendable (Bool) async throws -> Void)?
  /// true: the server answers 429 with a Retry-After, until it is called with false.
  public var setRateLimited: (@Sendable (Bool) async throws -> Void)?
  /// The bytes of an attachment as the server has them; nil: it has none.
  public var readAttachment: (@Sendable (_ reference: String) async throws -> [UInt8]?)?
  /// Puts other bytes in the place of an attachment.
  public var replaceAttachment:
    (@Sendable (_ reference: String, _ bytes: [UInt8]) async throws -> Void)?

  /// A world in which nothing can be done yet.
  ///
  /// - Parameter collection: The collection that the target serves.
  public init(collection: String = "conformance") { self.collection = collection }

  /// What common JSON code rounds, rewrites or drops.
  public static let exactFields: Record = [
    "exactWhole": number("12345678901234567890"), "exactDecimal": number("0.10"),
    "exactExponent": number("1e3"), "exactNull": .null, "exactEmpty": "", "exactFalse": false,
    "exactText": "Zo\u{65}\u{308} \u{1F469}\u{200D}\u{1F680} \"/\\",
    "exactNested": ["a": [1, "1", []]],
  ]

  private static func number(_ text: String) -> JSON {
    JSON.Number(text).map(JSON.number) ?? .null
  }
}
