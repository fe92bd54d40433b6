package import Addresses
import CLibUV

/// One attempt to connect: from looking up the name to an open stream or an error.
package final class ConnectAttempt {
  private let address: SocketAddress
  /// Valid until the attempt ends: its requests keep the loop from ending.
  private unowned(unsafe) let loop: EventLoop
  private var onResult: ((Result<ByteStream, UVError>) -> Void)?
  private var lookup: NameLookup?
  private var stream: ByteStream?
  /// Addresses that are still to be tried, in reverse order.
  private var candidates: [RawAddress] = []

  init(
    to address: SocketAddress, on loop: EventLoop, then: @escaping (Result<ByteStream, UVError>) -> Void
  ) {
    self.address = address
    self.loop = loop
    onResult = then
  }

  /// Ends the attempt; its result is not reported any more.
  package func cancel() {
    guard onResult != nil else { return }
    onResult = nil
    lookup?.cancel()
    stream?.close()
    stream = nil
  }

  /// Gives up the address that it tries, and tries the next one of the name. If there is none, the attempt fails, and
  /// reports that from within this call. While the name is being looked up this does nothing.
  package func giveUpAddress() {
    guard onResult != nil, let stream else { return }
    stream.close()
    self.stream = nil
    connectToNext(after: UVError(code: UV_ETIMEDOUT.rawValue))
  }

  private func finish(_ result: Result<ByteStream, UVError>) {
    let onResult = onResult
    self.onResult = nil
    stream = nil
    onResult?(result)
  }
}

extension ConnectAttempt: TurnEndWork {
  /// The attempt begins at the end of the turn, so that even an immediate failure is no synchronous one.
  func turnEnded() {
    guard onResult != nil else { return }
    do throws(UVError) {
      switch address {
      case .unix(let path): try connect(toPath: path)
      case .tcp(let host, let port): try resolve(host, port)
      }
    } catch {
      finish(.failure(error))
    }
  }

  private func resolve(_ host: String, _ port: UInt16) throws(UVError) {
    if let numeric = RawAddress(numericHost: host, port: port) {
      candidates = [numeric]
      return connectToNext(after: UVError(code: UV_EAI_NODATA.rawValue))
    }
    lookup = try NameLookup.start(host: host, port: port, on: loop) { [self] in
      lookup = nil
      switch $0 {
      case .failure(let error): finish(.failure(error))
      case .success(let addresses):
        candidates = addresses.reversed()
        connectToNext(after: UVError(code: UV_EAI_NODATA.rawValue))
      }
    }
  }

  /// Tries the addresses of a name one after the other; the last one's error is the attempt's.
  private func connectToNext(after error: UVError) {
    var error = error
    while let candidate = candidates.popLast() {
      do throws(UVError) {
        return try connect(to: candidate)
      } catch let refused {
        error = refused
      }
    }
    finish(.failure(error))
  }

  private func connect(to candidate: RawAddress) throws(UVError) {
    let stream = try ByteStream(.tcp, on: loop)
    let request = makeRequest()
    let status = candidate.withPointer {
      uv_tcp_connect(request, stream.handle.cast(), $0, ConnectAttempt.onConnect)
    }
    guard status == 0 else {
      release(request)
      stream.close()
      throw UVError(code: status)
    }
    self.stream = stream
  }

  private func connect(toPath path: String) throws(UVError) {
    guard path.utf8.count <= RawAddress.unixPathLimitBytes else {
      throw UVError(code: UV_ENAMETOOLONG.rawValue)
    }
    let stream = try ByteStream(.unix, on: loop)
    self.stream = stream
    // Its errors come through the callback, all of them.
    uv_pipe_connect(makeRequest(), stream.handle.cast(), path, ConnectAttempt.onConnect)
  }

  /// The request holds one retain on the attempt until its callback.
  private func makeRequest() -> UnsafeMutablePointer<uv_connect_t> {
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    return request
  }

  private func release(_ request: UnsafeMutablePointer<uv_connect_t>) {
    request.deallocate()
    Unmanaged.passUnretained(self).release()
  }

  private static let onConnect: @convention(c) (UnsafeMutablePointer<uv_connect_t>?, Int32) -> Void = {
    let attempt = Unmanaged<ConnectAttempt>.fromOpaque($0!.pointee.data).takeRetainedValue()
    $0!.deallocate()
    attempt.connected($1)
  }

  private func connected(_ status: Int32) {
    // The address was given up: its stream is closed already.
    guard status != UV_ECANCELED.rawValue, onResult != nil, let stream else { return }
    if status == 0 { return finish(.success(stream)) }
    stream.close()
    self.stream = nil
    connectToNext(after: UVError(code: status))
  }
}

extension ByteStream {
  /// Connects; looks the host up if it is a name. `then` is called once, never from within this call, unless the
  /// attempt is cancelled first.
  @discardableResult
  package static func connect(
    to address: SocketAddress, on loop: EventLoop, then: @escaping (Result<ByteStream, UVError>) -> Void
  ) -> ConnectAttempt {
    let attempt = ConnectAttempt(to: address, on: loop, then: then)
    loop.atTurnEnd(attempt)
    return attempt
  }
}

@available(*, unavailable)
extension ConnectAttempt: Sendable {}
