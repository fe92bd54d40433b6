import CLibUV
import Glibc

/// The pipes for a child's standard streams, until the child has its ends.
///
/// They are pipes, not sockets, because programs open `/dev/stderr`, and a socket cannot be opened.
struct ChildPipes {
  let input: ByteStream
  let output: ByteStream
  /// Nil: the child shares this process's standard error.
  let errors: ByteStream?
  /// The child's ends, in the order of its descriptors.
  private var theirs: [Int32] = []

  init(on loop: EventLoop, sharesErrors: Bool) throws(UVError) {
    var streams: [ByteStream] = []
    do throws(UVError) {
      for descriptor in STDIN_FILENO...(sharesErrors ? STDOUT_FILENO : STDERR_FILENO) {
        let (read, write) = try Self.makePipe()
        let isInput = descriptor == STDIN_FILENO
        theirs.append(isInput ? read : write)
        streams.append(try ByteStream(adopting: isInput ? write : read, .unix, on: loop))
      }
    } catch {
      for descriptor in theirs { Glibc.close(descriptor) }
      for stream in streams { stream.close() }
      throw error
    }
    (input, output) = (streams[0], streams[1])
    errors = sharesErrors ? nil : streams[2]
  }

  private static func makePipe() throws(UVError) -> (read: Int32, write: Int32) {
    var ends: (Int32, Int32) = (-1, -1)
    let status = withUnsafeMutablePointer(to: &ends) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) { uv_pipe($0, 0, 0) }
    }
    try UVError.check(status)
    return ends
  }

  /// The descriptors that libuv gives the child.
  var containers: [uv_stdio_container_t] {
    (theirs + (errors == nil ? [STDERR_FILENO] : [])).map {
      uv_stdio_container_t(flags: UV_INHERIT_FD, data: .init(fd: $0))
    }
  }

  /// Closes the child's ends, once it has them or could not be started. If they stayed open here, the end of its output
  /// would never be seen.
  mutating func closeTheirs() {
    for descriptor in theirs { Glibc.close(descriptor) }
    theirs = []
  }

  func closeOurs() {
    for stream in [input, output, errors] { stream?.close() }
  }
}
