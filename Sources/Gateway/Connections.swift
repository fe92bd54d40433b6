import GatewayCore
import JSONRPC
import LibUV
import Upstreams

/// The sockets behind the core's numbers: the one place where its wishes become system calls.
final class Connections: GatewaySink {
  private(set) var streams: [ByteStream?] = []
  var transports: [any UpstreamTransport] = []
  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  func add(_ stream: ByteStream, as client: ClientID) {
    while streams.count <= client.slot { streams.append(nil) }
    stream.token = UInt32(truncatingIfNeeded: client.slot)
    streams[client.slot] = stream
  }

  /// Answers a connection over the bound with an error, and closes it.
  func refuse(_ stream: ByteStream) {
    var line: [UInt8] = []
    MessageWriter.error(
      RequestID(), .overloaded.with(message: "too many connections"), into: &line)
    _ = stream.write(line)
    Farewell.say(to: stream, on: loop)
  }

  /// The connection is gone already.
  func forget(_ client: ClientID) {
    streams[client.slot]?.close()
    streams[client.slot] = nil
  }

  func closeAll() {
    // The process is about to end: nobody is waited for longer than that.
    for slot in streams.indices { close(slot, slowReaderMilliseconds: Farewell.patienceMilliseconds) }
    for transport in transports {
      transport.disconnect()
      // It holds the server, which holds it.
      transport.delegate = nil
    }
  }

  // MARK: GatewaySink

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    guard let stream = streams[client.slot] else { return 0 }
    return unsafe stream.write(chunks)
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    unsafe transports[upstream.index].write(chunks)
  }

  func setReading(_ isReading: Bool, from client: ClientID) {
    if isReading { streams[client.slot]?.startReading() } else { streams[client.slot]?.stopReading() }
  }

  func close(_ client: ClientID) {
    close(client.slot, slowReaderMilliseconds: Farewell.slowReaderMilliseconds)
  }

  private func close(_ slot: Int, slowReaderMilliseconds: UInt64) {
    guard let stream = streams[slot] else { return }
    streams[slot] = nil
    Farewell.say(to: stream, on: loop, slowReaderMilliseconds: slowReaderMilliseconds)
  }

  func connect(_ upstream: UpstreamID) { transports[upstream.index].connect() }
  func disconnect(_ upstream: UpstreamID) { transports[upstream.index].disconnect() }
}

@available(*, unavailable)
extension Connections: Sendable {}
