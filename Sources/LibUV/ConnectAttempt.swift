import CLibUV
import Glibc

/// One attempt to connect, from resolving the name to a stream or an error.
package final class ConnectAttempt {
  private let loop: EventLoop
  private let stream: ByteStream?
  private var then: ((Result<ByteStream, UVError>) -> Void)?
  private var failure: UVError?
  private var failureTimer: LoopTimer?
  private var resolving: UnsafeMutablePointer<uv_getaddrinfo_t>?

  init(
    to address: SocketAddress, on loop: EventLoop, then: @escaping (Result<ByteStream, UVError>) -> Void
  ) {
    self.loop = loop
    self.then = then
    do throws(UVError) {
      if case .tcp = address {
        stream = try ByteStream(isTCP: true, on: loop)
      } else {
        stream = try ByteStream(isTCP: false, on: loop)
      }
    } catch {
      stream = nil
      failure = error
    }
    if let failure { fail(failure) } else { start(address) }
  }

  /// The callback given will not be called.
  package func cancel() {
    then = nil
    stream?.close()
    failureTimer?.close()
    failureTimer = nil
    if let resolving { uv_cancel(cast(resolving)) }
  }

  private func start(_ address: SocketAddress) {
    switch address {
    case .unix(let path):
      guard let stream else { return }
      uv_pipe_connect(request(), cast(stream.raw), path, Self.didConnect)
    case .tcp(let host, let port):
      if let numeric = sockaddr_storage(numericHost: host, port: port) {
        connect(to: numeric)
      } else {
        resolve(host, port)
      }
    }
  }

  /// A connect request holds a retain on the attempt until its callback.
  private func request() -> UnsafeMutablePointer<uv_connect_t> {
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    request.initialize(to: uv_connect_t())
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    return request
  }

  private func connect(to address: sockaddr_storage) {
    guard let stream else { return }
    let request = request()
    let status = address.withSocketAddress { uv_tcp_connect(request, cast(stream.raw), $0, Self.didConnect) }
    guard status < 0 else { return }
    Unmanaged<ConnectAttempt>.fromOpaque(request.pointee.data).release()
    request.deallocate()
    fail(UVError(code: status))
  }

  private static let didConnect: uv_connect_cb = { request, status in
    let attempt = Unmanaged<ConnectAttempt>.fromOpaque(request!.pointee.data).takeRetainedValue()
    request!.deallocate()
    attempt.finish(status)
  }

  private func finish(_ status: Int32) {
    guard let then else { return }
    self.then = nil
    guard status == 0, let stream else {
      stream?.close()
      return then(.failure(UVError(code: status)))
    }
    stream.connected()
    then(.success(stream))
  }

  // MARK: Names

  private func resolve(_ host: String, _ port: UInt16) {
    let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    request.initialize(to: uv_getaddrinfo_t())
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    resolving = request
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    let status = uv_getaddrinfo(loop.raw, request, Self.didResolve, host, "\(port)", &hints)
    if status < 0 { Self.didResolve(request, status, nil) }
  }

  private static let didResolve: uv_getaddrinfo_cb = { request, status, list in
    let attempt = Unmanaged<ConnectAttempt>.fromOpaque(request!.pointee.data).takeRetainedValue()
    request!.deallocate()
    attempt.resolving = nil
    defer { uv_freeaddrinfo(list) }
    guard attempt.then != nil else { return }
    guard status == 0, let first = list?.pointee.ai_addr else { return attempt.fail(UVError(code: status)) }
    var address = sockaddr_storage()
    let size = Int(list!.pointee.ai_addrlen)
    withUnsafeMutableBytes(of: &address) { $0.copyMemory(from: UnsafeRawBufferPointer(start: first, count: size)) }
    attempt.connect(to: address)
  }

  // MARK: Failing

  /// The owner is never called back from within its own call, so an immediate failure waits for the next turn.
  private func fail(_ error: UVError) {
    failure = error
    do throws(UVError) {
      failureTimer = try LoopTimer(on: loop) { [self] in deliverFailure() }
      failureTimer?.start(afterMilliseconds: 0)
    } catch {
      preconditionFailure("a timer cannot fail to initialise: \(error)")
    }
  }

  private func deliverFailure() {
    failureTimer?.close()
    failureTimer = nil
    finish(failure?.code ?? UV_ECANCELED.rawValue)
  }
}

extension ByteStream {
  /// Connects; `then` is called once, on the loop, and never from within this call.
  @discardableResult
  package static func connect(
    to address: SocketAddress, on loop: EventLoop, then: @escaping (Result<ByteStream, UVError>) -> Void
  ) -> ConnectAttempt {
    ConnectAttempt(to: address, on: loop, then: then)
  }
}

@available(*, unavailable)
extension ConnectAttempt: Sendable {}
