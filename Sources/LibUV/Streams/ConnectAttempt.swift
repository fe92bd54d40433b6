package import Addresses
import CLibUV

/// One attempt to connect: from looking up the name to an open stream or an error.
///
/// Of the addresses of a name each next one is tried when one fails or has not answered for a moment, beside those that
/// may still answer. The first that does is the result.
package final class ConnectAttempt {
  /// How long an address may take before the next one is tried beside it, as RFC 8305 has it.
  static let pauseMilliseconds: UInt64 = 250
  /// Even the last of many addresses is tried by then.
  static let allMilliseconds: UInt64 = 1_000

  private let address: SocketAddress
  private let keepAlive: KeepAlive?
  /// Valid until the attempt ends: its requests keep the loop from ending.
  private unowned(unsafe) let loop: EventLoop
  private var onResult: ((Result<ByteStream, UVError>) -> Void)?
  private var lookup: NameLookup?
  /// One for each address that was tried and may still answer.
  private var streams: [ByteStream] = []
  /// Addresses that are still to be tried, in reverse order.
  private var candidates: [RawAddress] = []
  private var pauseMilliseconds = ConnectAttempt.pauseMilliseconds
  /// Runs only while an address may still answer: the request to it holds the attempt.
  private var pause: LoopTimer?

  init(
    to address: SocketAddress, keepAlive: KeepAlive? = nil, on loop: EventLoop,
    then: @escaping (Result<ByteStream, UVError>) -> Void
  ) {
    self.address = address
    self.keepAlive = keepAlive
    self.loop = loop
    onResult = then
  }

  /// Ends the attempt; its result is not reported any more.
  package func cancel() {
    guard onResult != nil else { return }
    onResult = nil
    lookup?.cancel()
    closeAll()
  }

  /// Gives up what it tries: the attempt fails as one that took too long, and reports that from within this call. While
  /// the name is being looked up this does nothing.
  package func giveUp() {
    guard onResult != nil, !streams.isEmpty else { return }
    finish(.failure(.timedOut))
  }

  private func finish(_ result: Result<ByteStream, UVError>) {
    let onResult = onResult
    self.onResult = nil
    closeAll()
    onResult?(result)
  }

  private func closeAll() {
    pause?.close()
    pause = nil
    candidates = []
    for stream in streams { stream.close() }
    streams = []
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
    if let numeric = RawAddress(numericHost: host, port: port) { return connect(toAny: [numeric]) }
    lookup = try NameLookup.start(host: host, port: port, on: loop) { [self] in
      lookup = nil
      switch $0 {
      case .failure(let error): finish(.failure(error))
      case .success(let addresses): connect(toAny: addresses)
      }
    }
  }

  /// - Parameter addresses: those of the name, the best one first.
  func connect(toAny addresses: [RawAddress]) {
    candidates = addresses.reversed()
    let share = Self.allMilliseconds / UInt64(max(1, addresses.count))
    pauseMilliseconds = min(Self.pauseMilliseconds, share)
    connectToNext(after: UVError(code: UV_EAI_NODATA.rawValue))
  }

  /// - Parameter error: what the attempt fails with where nothing is left that may answer.
  private func connectToNext(after error: UVError) {
    var error = error
    while let candidate = candidates.popLast() {
      do throws(UVError) {
        return try connect(to: candidate)
      } catch let refused {
        error = refused
      }
    }
    if streams.isEmpty { finish(.failure(error)) }
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
    streams.append(stream)
    waitBeforeNext()
  }

  private func waitBeforeNext() {
    guard !candidates.isEmpty else {
      pause?.stop()
      return
    }
    if pause == nil {
      pause = LoopTimer(on: loop) { [unowned self] in
        // What was tried may still answer, so this is not what the attempt fails with.
        connectToNext(after: .timedOut)
      }
    }
    pause?.start(afterMilliseconds: pauseMilliseconds)
  }

  private func connect(toPath path: String) throws(UVError) {
    guard path.utf8.count <= RawAddress.unixPathLimitBytes else {
      throw UVError(code: UV_ENAMETOOLONG.rawValue)
    }
    let stream = try ByteStream(.unix, on: loop)
    streams = [stream]
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
    let handle = $0!.pointee.handle
    $0!.deallocate()
    attempt.connected(handle, $1)
  }

  private func connected(_ handle: UnsafeMutablePointer<uv_stream_t>?, _ status: Int32) {
    // One that was closed is not among them any more.
    guard status != UV_ECANCELED.rawValue, onResult != nil,
      let place = streams.firstIndex(where: { $0.handle.cast(to: uv_stream_t.self) == handle })
    else { return }
    let stream = streams.remove(at: place)
    if status == 0 {
      if let keepAlive { stream.apply(keepAlive) }
      return finish(.success(stream))
    }
    stream.close()
    connectToNext(after: UVError(code: status))
  }
}

extension ByteStream {
  /// Connects; looks the host up if it is a name. `then` is called once, never from within this call, unless the
  /// attempt is cancelled first.
  ///
  /// - Parameter keepAlive: of a TCP connection; nil: a peer that vanishes is never missed.
  @discardableResult
  package static func connect(
    to address: SocketAddress, keepAlive: KeepAlive? = nil, on loop: EventLoop,
    then: @escaping (Result<ByteStream, UVError>) -> Void
  ) -> ConnectAttempt {
    let attempt = ConnectAttempt(to: address, keepAlive: keepAlive, on: loop, then: then)
    loop.atTurnEnd(attempt)
    return attempt
  }
}

@available(*, unavailable)
extension ConnectAttempt: Sendable {}
