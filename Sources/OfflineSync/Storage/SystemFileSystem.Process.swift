import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension SystemFileSystem {
  /// What a program, not a library, asks of its process.
  package enum Process {
    /// Ends the process.
    package static func end(_ status: Int32) -> Never { exit(status) }

    /// From now on the first interrupt or request to terminate is remembered instead of obeyed.
    ///
    /// The second one ends the process as if nobody listened.
    package static func rememberInterrupts() {
      // The handler may touch nothing that is made at its first use.
      remembered.store(0, ordering: .sequentiallyConsistent)
      for number in [SIGINT, SIGTERM] {
        _ = signal(number) { number in
          Process.remembered.store(number, ordering: .sequentiallyConsistent)
          _ = signal(SIGINT, SIG_DFL)
          _ = signal(SIGTERM, SIG_DFL)
        }
      }
    }

    /// The signal that came since ``rememberInterrupts()``; nil: none.
    package static var interrupt: String? {
      switch remembered.load(ordering: .sequentiallyConsistent) {
      case SIGINT: "SIGINT"
      case SIGTERM: "SIGTERM"
      default: nil
      }
    }

    /// A handler gets no argument but the number, so what it says can only lie here.
    private static let remembered = Atomic<Int32>(0)
  }
}
