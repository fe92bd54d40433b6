import GatewayCore
import TaskStore

/// Takes what the core hands out, as much of it as there is room for.
struct CoreSink: GatewaySink {
  /// What each client was sent and nobody has looked at, by its number.
  var toClients: [Int: [UInt8]] = [:]
  var toUpstream: [UInt8] = []
  var closed: [Int] = []
  var wasDisconnected = false
  var wantsConnection = false
  /// All that was ever taken.
  private(set) var bytesToClients: UInt64 = 0
  private(set) var bytesToUpstream: UInt64 = 0
  /// Bytes that are still taken in this round.
  var room = Int.max

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    let taken = unsafe Self.take(chunks, room: &room, into: &toClients[client.slot, default: []])
    bytesToClients += UInt64(taken)
    return taken
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    let taken = unsafe Self.take(chunks, room: &room, into: &toUpstream)
    bytesToUpstream += UInt64(taken)
    return taken
  }

  private static func take(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, room: inout Int, into bytes: inout [UInt8]
  ) -> Int {
    var taken = 0
    for index in chunks.indices {
      // The core's buffers live until the call returns.
      let part = unsafe chunks[index].prefix(room)
      unsafe bytes.append(contentsOf: part)
      taken += unsafe part.count
      room -= unsafe part.count
    }
    return taken
  }

  mutating func setReading(_ isReading: Bool, from client: ClientID) {}
  mutating func close(_ client: ClientID) { closed.append(client.slot) }
  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) { wantsConnection = true }
  mutating func disconnect(_ upstream: UpstreamID) { wasDisconnected = true }
  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {}
  mutating func abort(_ task: TaskID, over upstream: UpstreamID) {}
}
