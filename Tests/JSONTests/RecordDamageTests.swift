import OfflineSync
import Testing

struct RecordDamageTests {
  private static let text =
    #"{"Id":"a\"1","n":-12.50e+3,"t":[true,false,null,{}],"o":{"k":"\u00e9\ud83d\ude00é"},"e":"","z":0}"#

  @Test func `a record that is cut anywhere is malformed`() throws {
    let bytes = Array(Self.text.utf8)
    #expect(try Record(json: bytes).json == Self.text)
    for count in bytes.indices {
      #expect(throws: SyncError(.recordMalformed, "")) { try Record(json: Array(bytes[..<count])) }
    }
  }

  @Test func `a changed byte gives an error or the bytes as they are`() {
    let bytes = Array(Self.text.utf8)
    var goodCount = 0
    for place in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = bytes
        changed[place] = byte
        guard let record = readable(changed) else { continue }
        goodCount += 1
        let isCompact = record.json.utf8.count == changed.count
        #expect(isCompact ? Array(record.bytes) == changed : record.bytes.count < changed.count)
        #expect(readable(Array(Record(record.object).json.utf8)) != nil)
      }
    }
    #expect(goodCount > 1000)
  }

  private func readable(_ bytes: [UInt8]) -> Record? {
    do {
      let record = try Record(json: bytes)
      #expect(try Record(json: Array(record.bytes)) == record)
      return record
    } catch let error as SyncError {
      #expect(error.code == .recordMalformed)
    } catch {
      Issue.record(error)
    }
    return nil
  }
}
