import Foundation

/// One call of `posix_spawn`.
struct SpawnCall {
  #if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  private let program: String
  private let arguments: [String]
  private let environment: [String: String]
  private let directory: String
  private let streams: [ChildProcess.Stream]

  init(
    _ program: String,
    _ arguments: [String],
    _ environment: [String: String],
    _ directory: String,
    _ streams: [ChildProcess.Stream]
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.streams = streams
  }

  /// Starts the process; its id.
  func run() throws -> pid_t {
    var actions = unsafe Self.emptyActions()
    try check(unsafe posix_spawn_file_actions_init(&actions))
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      unsafe try check(Self.add(stream, as: Int32(number), to: &actions))
    }
    var attributes = Self.emptyAttributes()
    try check(unsafe posix_spawnattr_init(&attributes))
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    try check(Self.takeEverySignal(&attributes))

    // Not every C library offers a change of the folder to Swift.
    let line = ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", directory, program]
    let words = unsafe (line + arguments).map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer { _ = unsafe (words + variables).map { unsafe free($0) } }
    var id: pid_t = 0
    try check(unsafe posix_spawn(&id, line[0], &actions, &attributes, words, variables))
    return id
  }

  private static func add(
    _ stream: ChildProcess.Stream,
    as number: Int32,
    to actions: inout Actions
  ) -> Int32 {
    switch stream {
    case .descriptor(let descriptor):
      return unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    case .file(let path):
      let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
      return unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
    }
  }

  /// No signal is blocked, none ignored.
  private static func takeEverySignal(_ attributes: inout Attributes) -> Int32 {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    var result = unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    if result == 0 { result = unsafe posix_spawnattr_setsigdefault(&attributes, &signals) }
    let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    return result == 0 ? unsafe posix_spawnattr_setflags(&attributes, flags) : result
  }

  private static func emptyActions() -> Actions {
    #if canImport(Darwin)
      nil
    #else
      unsafe posix_spawn_file_actions_t()
    #endif
  }

  private static func emptyAttributes() -> Attributes {
    #if canImport(Darwin)
      nil
    #else
      posix_spawnattr_t()
    #endif
  }

  private func check(_ result: Int32) throws {
    guard result == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EINVAL, userInfo: ["program": program])
    }
  }
}
