import CLibUV
import Glibc

/// A TCP or Unix-domain socket that accepts connections.
package final class Listener {
  /// When accepting fails for want of descriptors or memory, listening pauses so long.
  package static let retryMilliseconds: UInt64 = 100

  /// Where it listens, with the port that the kernel gave.
  package private(set) var address: SocketAddress
  /// Hears of failures to accept, for the log.
  package var onAcceptFailure: ((UVError) -> Void)?
  private let loop: EventLoop
  private let backlog: Int32
  private var onConnection: ((ByteStream) -> Void)?
  private var socket: ListeningHandle?
  private var retry: LoopTimer?

  package init(
    on loop: EventLoop, address: SocketAddress, backlog: Int32 = 511,
    onConnection: @escaping (ByteStream) -> Void
  ) throws(UVError) {
    self.loop = loop
    self.address = address
    self.backlog = backlog
    self.onConnection = onConnection
    socket = try ListeningHandle(address, backlog, on: loop) { [unowned self] in self.accept($0) }
    self.address = socket?.boundAddress(address) ?? address
    do throws(UVError) {
      retry = try LoopTimer(on: loop) { [unowned self] in self.listenAgain() }
    } catch {
      socket?.close()
      throw error
    }
  }

  package func close() {
    onConnection = nil
    socket?.close()
    socket = nil
    retry?.close()
    retry = nil
    if case .unix(let path) = address { unlink(path) }
  }

  private func accept(_ status: Int32) {
    guard status == 0, let socket else { return failed(UVError(code: status)) }
    do throws(UVError) {
      let stream = try ByteStream(isTCP: socket.isTCP, on: loop)
      let accepted = uv_accept(socket.raw, stream.raw)
      guard accepted == 0 else {
        stream.close()
        throw UVError(code: accepted)
      }
      stream.connected()
      onConnection?(stream)
    } catch {
      failed(error)
    }
  }

  /// A connection that is gone already is nothing; without descriptors, listening on would spin, and one failed
  /// accept stops some versions of libuv for good: so the socket is closed and opened again a little later.
  private func failed(_ error: UVError) {
    onAcceptFailure?(error)
    guard error.code != UV_ECONNABORTED.rawValue, error.code != UV_EAGAIN.rawValue else { return }
    socket?.close()
    socket = nil
    retry?.start(afterMilliseconds: Self.retryMilliseconds)
  }

  private func listenAgain() {
    do throws(UVError) {
      if case .unix(let path) = address { unlink(path) }
      socket = try ListeningHandle(address, backlog, on: loop) { [unowned self] in self.accept($0) }
    } catch {
      onAcceptFailure?(error)
      retry?.start(afterMilliseconds: Self.retryMilliseconds)
    }
  }
}

@available(*, unavailable)
extension Listener: Sendable {}
