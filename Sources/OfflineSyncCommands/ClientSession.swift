import OfflineSync

/// The client of one command: opened before its work, closed after it whatever happens.
struct ClientSession: Sendable {
  /// Where the store lies.
  let state: String
  /// How it is opened.
  let configuration: SyncClient.Configuration

  /// A session that reads, which works beside a running writer.
  private static func reading(_ state: String) -> ClientSession {
    ClientSession(state: state, configuration: .init(access: .readOnly))
  }

  /// A session that writes; with a configuration file it moves attachments as that says.
  static func writing(
    _ state: String,
    _ source: ConfigurationSource? = nil
  ) -> ClientSession {
    ClientSession(state: state, configuration: source?.client ?? .init())
  }

  /// Opens, works and closes.
  ///
  /// - Throws: What the work throws, else what opening or closing throws.
  func run<Answer>(_ work: (SyncClient) async throws -> Answer) async throws -> Answer {
    try await Self.closing(open(), after: work)
  }

  /// Opens, reads and closes; what is damaged in the store is told after what could be read.
  ///
  /// - Throws: What the work throws, else what opening or closing throws. An error of the library is
  ///   replaced by the damage, which may be its only reason.
  static func reading(
    _ state: String,
    _ output: Output,
    _ work: (SyncClient) async throws -> Void
  ) async throws -> ExitStatus {
    try await reading(state).run { client in
      do {
        try await work(client)
      } catch let error as SyncError {
        throw await client.store.damage ?? error
      }
      guard let damage = await client.store.damage else { return .good }
      output.error(damage)
      return .failed
    }
  }

  /// Opens the client; whoever does it closes it.
  func open() async throws -> SyncClient {
    try await SyncClient.open(
      at: URL(filePath: state, directoryHint: .isDirectory),
      configuration: configuration
    )
  }

  /// Works and closes.
  ///
  /// - Throws: What the work throws, else what closing throws.
  static func closing<Answer>(
    _ client: SyncClient,
    after work: (SyncClient) async throws -> Answer
  ) async throws -> Answer {
    let answer: Answer
    do {
      answer = try await work(client)
    } catch let failure {
      // What went wrong first is the answer; a store that cannot be closed shows at the next opening.
      do { try await client.close() } catch { throw failure }
      throw failure
    }
    try await client.close()
    return answer
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
