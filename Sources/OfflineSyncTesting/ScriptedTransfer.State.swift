import OfflineSync

extension ScriptedTransfer {
  /// What a script still lets fail.
  struct Fault {
    let kind: Kind
    let error: any Error
    var left: Int
    var isAfterwards = false
  }

  /// A finished object.
  struct Object {
    var bytes: [UInt8]
    var version: Int
  }

  /// An unfinished upload.
  struct Session {
    var number: Int
    var bytes: [UInt8] = []
  }

  /// The server.
  struct State {
    var objects: [String: Object]
    var sessions: [String: Session]
    var calls: [Call] = []
    var counts: [Kind: Int] = [:]
    var tellsHash = true
    var tellsByteCount = true
    var tellsValidator = true
    var ignoresValidator = false
    var cannotConfirm = false
    var faults: [Fault] = []
    var corrupted: [Kind: Int] = [:]
    var cut: Int64?
    var delay: (Duration, any Clock<Duration>)?
    var pauses: [String: ScriptedPause] = [:]
    private var lastNumber: Int

    init(objects: [String: Object] = [:], sessions: [String: Session] = [:]) {
      self.objects = objects
      self.sessions = sessions
      lastNumber = objects.values.map(\.version).max() ?? 0
      lastNumber = max(lastNumber, sessions.values.map(\.number).max() ?? 0)
    }

    func count(of kind: Kind) -> Int { counts[kind] ?? 0 }

    mutating func makeNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    mutating func put(_ bytes: [UInt8], at reference: String) {
      objects[reference] = Object(bytes: bytes, version: makeNumber())
    }

    mutating func throwFault(of kind: Kind, isAfterwards: Bool) throws {
      guard
        let index = faults.firstIndex(where: {
          $0.kind == kind && $0.isAfterwards == isAfterwards
        })
      else { return }
      let error = faults[index].error
      faults[index].left -= 1
      if faults[index].left <= 0 { faults.remove(at: index) }
      throw error
    }

    /// The part of the bytes that gets through a line that is cut; the rest is lost with an error.
    mutating func through(_ bytes: [UInt8], from start: Int64) -> (bytes: [UInt8], isCut: Bool) {
      guard let cut, cut >= start, cut < start + Int64(bytes.count) else { return (bytes, false) }
      self.cut = nil
      return (Array(bytes.prefix(Int(cut - start))), true)
    }

    /// The bytes as they arrive: with a bit flipped if the script says so.
    mutating func arriving(_ bytes: [UInt8], _ kind: Kind) -> [UInt8] {
      guard let left = corrupted[kind], left > 0, !bytes.isEmpty else { return bytes }
      corrupted[kind] = left - 1
      var bytes = bytes
      bytes[bytes.count / 2] ^= 1
      return bytes
    }

    func describe(_ reference: String) -> RemoteAttachment? {
      objects[reference].map { object in
        RemoteAttachment(
          sha256: tellsHash ? SHA256.hexDigest(of: object.bytes) : nil,
          byteCount: tellsByteCount ? Int64(object.bytes.count) : nil
        )
      }
    }
  }
}
