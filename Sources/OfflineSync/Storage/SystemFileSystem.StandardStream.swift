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
  /// A standard stream of this process, without a buffer of its own: what is written is out at once.
  package enum StandardStream: Int32, Sendable {
    case input = 0
    case output = 1
    case error = 2

    /// Whether a person sits at its other end.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Takes the numbers of the streams that this process was started without, before a file gets one of them and
    /// what is printed lands in it; using such a stream stays an error.
    package static func occupyClosed() {
      for stream in [input, output, error] where fcntl(stream.rawValue, F_GETFD) == -1 {
        // It gets the lowest free number, and those below are taken.
        openNothing(stream == .input ? O_WRONLY : O_RDONLY)
      }
    }

    /// Reads until the other end closes.
    ///
    /// - Throws: ``FileError``.
    package func readToEnd() throws -> [UInt8] {
      let call = try Call("read", name)
      var bytes: [UInt8] = []
      while true {
        let part = try unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, filled in
          filled = try ready(call, POLLIN) {
            unsafe systemRead(rawValue, buffer.baseAddress, buffer.count)
          }
        }
        if part.isEmpty { return bytes }
        bytes += part
      }
    }

    /// Writes everything.
    ///
    /// - Throws: ``FileError``.
    package func write(_ bytes: [UInt8]) throws {
      let call = try Call("write", name)
      try unsafe bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count {
          let part = try ready(call, POLLOUT) {
            unsafe systemWrite(
              rawValue,
              buffer.baseAddress?.advanced(by: written),
              buffer.count - written
            )
          }
          guard part > 0 else { throw call.error(.inputOutput) }
          written += part
        }
      }
    }

    private var name: String {
      switch self {
      case .input: "standard input"
      case .output: "standard output"
      case .error: "standard error"
      }
    }

    /// Makes the call; whoever started this process may have made the stream one that does not wait.
    private func ready(_ call: Call, _ event: some BinaryInteger, _ body: () -> Int) throws -> Int {
      while true {
        do {
          return try call.checked(body)
        } catch let error as FileError where error.errno == EAGAIN {
          var stream = pollfd(fd: rawValue, events: Int16(event), revents: 0)
          try call.checked { unsafe poll(&stream, 1, -1) }
        }
      }
    }
  }
}

/// `open` of the file that is always there, which the methods of this name hide.
private func openNothing(_ flags: Int32) { _ = unsafe open("/dev/null", flags) }

/// `read`, which the methods of this name hide.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  unsafe read(descriptor, bytes, count)
}

/// `write`, which the methods of this name hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
