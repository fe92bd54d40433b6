import CLibUV
import Glibc
import Synchronization

/// Standard input or output as a stream of any kind: a thread copies the bytes of a file, a device or a terminal, for
/// which a loop cannot wait, or only with effects on other users of the same terminal.
package final class StandardStream {
  package let stream: ByteStream
  private let descriptor: Int32
  /// The descriptor's flags as they were found. A stream makes the descriptor non-blocking, for all processes that
  /// share it.
  private let flags: Int32
  private let copying: Copying?
  private var thread = pthread_t()

  /// - Throws: the system's error, or `EINVAL`, for a directory for example.
  package init(_ descriptor: Int32, on loop: EventLoop) throws(UVError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last }
    self.descriptor = descriptor
    flags = fcntl(descriptor, F_GETFL)
    guard [S_IFREG, S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT) else {
      stream = try .standard(descriptor, on: loop)
      copying = nil
      return
    }
    let socket: Int32
    (stream, socket) = try ByteStream.half(on: loop)
    let copying = Copying(file: descriptor, socket: socket)
    self.copying = copying
    // Released by the thread, or below when there is none.
    let argument = Unmanaged.passRetained(copying)
    let failure = pthread_create(
      &thread, nil,
      {
        Unmanaged<Copying>.fromOpaque($0!).takeRetainedValue().run()
        return nil
      }, argument.toOpaque())
    guard failure == 0 else {
      argument.release()
      Glibc.close(socket)
      stream.close()
      throw UVError(code: uv_translate_sys_error(failure))
    }
  }

  /// Waits until all accepted bytes of a closed stream have been written, and then calls `giveBack`.
  package func finish() {
    if copying != nil { pthread_join(thread, nil) }
    giveBack()
  }

  /// Restores the descriptor's flags, as other processes may share it. To be called when the stream is not used any
  /// more. If two streams share a descriptor, the one that was made first must be the last to give it back.
  package func giveBack() {
    if copying == nil && flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags) }
  }

  /// The error that stopped reading or writing a file; nil: there was none.
  package var failure: UVError? {
    guard let code = copying?.failure.load(ordering: .acquiring), code != 0 else { return nil }
    return UVError(code: code)
  }
}

@available(*, unavailable)
extension StandardStream: Sendable {}

/// Copies from standard input to a socket, or from the socket to standard output, until either ends.
private final class Copying: Sendable {
  let file: Int32
  let socket: Int32
  let failure = Atomic<Int32>(0)

  init(file: Int32, socket: Int32) {
    self.file = file
    self.socket = socket
  }

  func run() {
    let isInput = file == STDIN_FILENO
    let (source, target) = isInput ? (file, socket) : (socket, file)
    withUnsafeTemporaryAllocation(byteCount: EventLoop.readBufferBytes, alignment: 1) { buffer in
      let start = buffer.baseAddress.unsafelyUnwrapped
      while true {
        let count = repeated(source) { read(source, start, buffer.count) }
        guard count > 0 else { break }
        var done = 0
        while done < count {
          let written = repeated(target) { write(target, start + done, count - done) }
          guard written >= 0 else { break }
          done += written
        }
        guard done == count else { break }
      }
    }
    Glibc.close(socket)
  }

  /// Repeats a call until it succeeds or fails for good; notes the error, if the file is at fault.
  private func repeated(_ descriptor: Int32, _ call: () -> Int) -> Int {
    while true {
      let count = call()
      if count >= 0 { return count }
      if errno == EAGAIN {
        // Another process made the descriptor non-blocking.
        var request = pollfd(
          fd: descriptor, events: Int16(descriptor == STDIN_FILENO ? POLLIN : POLLOUT), revents: 0)
        poll(&request, 1, -1)
      } else if errno != EINTR {
        // For standard input, a terminal that is gone counts as the end.
        let isEnd = errno == EIO && descriptor == STDIN_FILENO && isatty(descriptor) == 1
        if descriptor == file && !isEnd { failure.store(uv_translate_sys_error(errno), ordering: .releasing) }
        return -1
      }
    }
  }
}
