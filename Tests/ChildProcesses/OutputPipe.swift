package import Foundation

extension Pipe {
  /// A pipe whose ends no process inherits but by ``ChildProcess/Stream/descriptor(_:)``: else its output
  /// ends only when others end, too.
  package static func ofOneProcess() -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    return pipe
  }

  /// What comes out of it, until it ends.
  ///
  /// A thread of its own reads: a readability handler now and then misses the end.
  package func pieces() -> AsyncStream<Data> {
    let (stream, continuation) = AsyncStream<Data>.makeStream()
    let reading = fileHandleForReading
    Thread.detachNewThread {
      while true {
        let data = reading.availableData
        if data.isEmpty { break }
        continuation.yield(data)
      }
      continuation.finish()
    }
    return stream
  }
}
