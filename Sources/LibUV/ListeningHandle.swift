import CLibUV
import Glibc

/// One bound and listening socket.
final class ListeningHandle {
  let isTCP: Bool
  let raw: UnsafeMutablePointer<uv_stream_t>
  private var onConnection: ((Int32) -> Void)?

  init(
    _ address: SocketAddress, _ backlog: Int32, on loop: EventLoop, onConnection: @escaping (Int32) -> Void
  ) throws(UVError) {
    self.onConnection = onConnection
    switch address {
    case .tcp:
      isTCP = true
      let handle = try Handle<uv_tcp_t> { uv_tcp_init(loop.raw, $0) }
      raw = handle.stream
      handle.attach(self)
    case .unix:
      isTCP = false
      let handle = try Handle<uv_pipe_t> { uv_pipe_init(loop.raw, $0, 0) }
      raw = handle.stream
      handle.attach(self)
    }
    loop.giveUpReserveDescriptor()
    do throws(UVError) {
      try bind(address)
      try UVError.check(
        uv_listen(raw, backlog) { handle, status in
          owner(of: handle, as: ListeningHandle.self).onConnection?(status)
        })
    } catch {
      close()
      throw error
    }
  }

  private func bind(_ address: SocketAddress) throws(UVError) {
    switch address {
    case .tcp(let host, let port):
      guard let numeric = sockaddr_storage(numericHost: host == "localhost" ? "127.0.0.1" : host, port: port)
      else { throw UVError(code: UV_EADDRNOTAVAIL.rawValue) }
      try UVError.check(numeric.withSocketAddress { uv_tcp_bind(cast(raw), $0, 0) })
    case .unix(let path):
      removeIfStale(path)
      try UVError.check(uv_pipe_bind(cast(raw), path))
    }
  }

  /// A socket file that nobody listens on any more was left by a process that was killed.
  private func removeIfStale(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return }
    defer { Glibc.close(probe) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(SocketAddress.pathLimitBytes)) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if connected < 0 && errno == ECONNREFUSED { unlink(path) }
  }

  func boundAddress(_ wanted: SocketAddress) -> SocketAddress {
    guard isTCP else { return wanted }
    var storage = sockaddr_storage()
    var size = Int32(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { uv_tcp_getsockname(cast(raw), $0, &size) }
    }
    return status == 0 ? storage.socketAddress : wanted
  }

  func close() {
    onConnection = nil
    guard uv_is_closing(cast(raw)) == 0 else { return }
    uv_close(cast(raw), Handle<uv_stream_t>.freed)
  }
}

@available(*, unavailable)
extension ListeningHandle: Sendable {}
