package import TaskStore

/// The shell's side of the core: what `flush` tells it to do, once a loop turn.
///
/// Nothing here may call back into the core; what comes of it is told by later events.
package protocol GatewaySink: ~Copyable {
  /// Writes to a client; returns how many bytes were taken. Fewer than given: `clientBecameWritable` follows.
  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int
  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int
  /// Reads no further from a client, or goes on.
  mutating func setReading(_ isReading: Bool, from client: ClientID)
  mutating func setReading(_ isReading: Bool, from upstream: UpstreamID)
  /// Closes a client's connection once what was taken has been sent. Its number may be used again at once.
  mutating func close(_ client: ClientID)
  /// The same at once, with what was taken.
  mutating func drop(_ client: ClientID)
  /// Opens an upstream connection; `upstreamConnected` or `upstreamDisconnected` follows.
  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint)
  /// Closes an upstream connection at once; no event follows. Its number may be used again at once.
  mutating func disconnect(_ upstream: UpstreamID)
  /// Sends no more over an upstream connection; what it answers still comes.
  mutating func end(_ upstream: UpstreamID)
  /// Sends a message as an exchange of its own. If it has a task, `exchangeAnswered`, or for a notification
  /// `exchangeDelivered`, or `exchangeFailed` follows; of one without a task only `exchangeLost`, and only if it is.
  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8])
  /// Ends a task's exchange at once; no event follows.
  mutating func abort(_ task: TaskID, over upstream: UpstreamID)
  /// What was taken to be written to clients and departing connections, and is still here.
  var heldByteCount: Int { get }
  /// How much of that is for a client.
  func heldByteCount(of client: ClientID) -> Int
  /// Memory of connections that are no clients yet, such as those in a TLS handshake.
  var arrivingByteCount: Int { get }
  /// Closes some of them at once, until they hold at most so much. They are not told of by `arrivingHold` meanwhile.
  mutating func makeRoom(arrivingBytes: Int)
  /// Much memory was freed: what the process does not need goes back to the system.
  mutating func giveBackMemory()
  /// Connections that were closed and are still sent their last bytes.
  var departing: [DepartingConnection] { get }
  /// Closes one of them at once.
  mutating func drop(_ connection: DepartingConnection)
}

/// A connection that is no client any more, and how much is held for it.
package struct DepartingConnection: Hashable, Sendable {
  package let number: UInt64
  package let byteCount: Int

  package init(number: UInt64, byteCount: Int) {
    self.number = number
    self.byteCount = byteCount
  }
}

extension GatewaySink where Self: ~Copyable {
  /// If the shell reads from an upstream all the same, its bytes are held behind the earlier ones.
  package mutating func setReading(_ isReading: Bool, from upstream: UpstreamID) {}

  /// An upstream that is not told ends when its connection does.
  package mutating func end(_ upstream: UpstreamID) {}

  package mutating func giveBackMemory() {}

  package mutating func drop(_ client: ClientID) { close(client) }

  package var departing: [DepartingConnection] { [] }
  package mutating func drop(_ connection: DepartingConnection) {}

  package var arrivingByteCount: Int { 0 }
  package mutating func makeRoom(arrivingBytes: Int) {}

  package var heldByteCount: Int { 0 }
  package func heldByteCount(of client: ClientID) -> Int { 0 }
}
