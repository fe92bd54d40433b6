import Glibc

extension RunningProgram {
  /// One end of a pipe, closed when nobody holds it any more. Every wait is bounded by the watchdog.
  final class PipeEnd {
    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A new pipe, which children of other tests do not inherit.
    static func pair() throws -> (reading: PipeEnd, writing: PipeEnd) {
      var descriptors: [Int32] = [-1, -1]
      guard GNU.pipe2(&descriptors, O_CLOEXEC) == 0 else {
        throw LineSocket.Failure(description: "pipe: errno \(errno)")
      }
      return (PipeEnd(descriptors[0]), PipeEnd(descriptors[1]))
    }

    /// Waits for more; nothing at the end.
    func read() throws -> ArraySlice<UInt8> {
      try awaitEvent(POLLIN)
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw LineSocket.Failure(description: "read: errno \(errno)") }
      return chunk[..<count]
    }

    func write(_ bytes: [UInt8]) throws {
      var rest = bytes[...]
      while !rest.isEmpty {
        try awaitEvent(POLLOUT)
        // As much as fits for certain, and does not wait.
        rest = rest.dropFirst(try writeOnce(rest.prefix(Int(PIPE_BUF))))
      }
    }

    private func writeOnce(_ bytes: ArraySlice<UInt8>) throws -> Int {
      let (count, code) = Self.withoutSIGPIPE {
        (bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }, errno)
      }
      guard count >= 0 else { throw LineSocket.Failure(description: "write: errno \(code)") }
      return count
    }

    /// If nobody reads any more, `write` shall fail instead of ending this process, whatever else that ignores.
    private static func withoutSIGPIPE<Result>(_ write: () -> Result) -> Result {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      var before = sigset_t()
      pthread_sigmask(SIG_BLOCK, &signals, &before)
      let result = write()
      // The kernel sends it to the thread that wrote, where it is pending now.
      var now = timespec()
      sigtimedwait(&signals, nil, &now)
      pthread_sigmask(SIG_SETMASK, &before, nil)
      return result
    }

    private func awaitEvent(_ event: Int32) throws {
      var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      var count: Int32
      repeat {
        count = poll(&request, 1, Int32(LineSocket.watchdogSeconds * 1000))
      } while count < 0 && errno == EINTR
      guard count > 0 else { throw LineSocket.Failure(description: "nothing happens at a pipe") }
    }
  }
}
