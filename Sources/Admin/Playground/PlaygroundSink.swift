import GatewayCore
import TaskStore

/// The sink of the playground's core: it keeps its upstream's lines, and none for its clients.
struct PlaygroundSink: GatewaySink {
  private(set) var linesToUpstream: [UInt8] = []
  private(set) var wantsConnection: UpstreamID?
  /// Clients that the core has closed.
  private(set) var closed: [ClientID] = []

  mutating func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID
  ) -> Int {
    var count = 0
    for index in chunks.indices { unsafe count += chunks[index].count }
    return count
  }

  mutating func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID
  ) -> Int {
    let before = linesToUpstream.count
    for index in chunks.indices { unsafe linesToUpstream.append(contentsOf: chunks[index]) }
    return linesToUpstream.count - before
  }

  mutating func setReading(_ isReading: Bool, from client: ClientID) {}
  mutating func close(_ client: ClientID) { closed.append(client) }
  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) { wantsConnection = upstream }
  mutating func disconnect(_ upstream: UpstreamID) {}
  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {}
  mutating func abort(_ task: TaskID, over upstream: UpstreamID) {}
}
