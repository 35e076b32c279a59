import OfflineSync
import Testing

struct PlaceholderTests {
  @Test func `a code is its name in upper case`() { #expect(SyncError.Code.syncNotFound == "SYNC_NOT_FOUND") }
}
