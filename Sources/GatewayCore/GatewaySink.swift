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
  /// Closes a client's connection once what was taken has been sent. Its number may be used again at once.
  mutating func close(_ client: ClientID)
  /// Opens an upstream connection; `upstreamConnected` or `upstreamDisconnected` follows.
  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint)
  /// Closes an upstream connection at once; no event follows. Its number may be used again at once.
  mutating func disconnect(_ upstream: UpstreamID)
  /// Sends no more over an upstream connection; what it answers still comes.
  mutating func end(_ upstream: UpstreamID)
  /// Sends a message as an exchange of its own; `exchangeAnswered` or `exchangeFailed` follows, if it has a task.
  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8])
  /// Ends a task's exchange at once; no event follows.
  mutating func abort(_ task: TaskID, over upstream: UpstreamID)
  /// Much memory was freed: what the process does not need goes back to the system.
  mutating func giveBackMemory()
}

extension GatewaySink where Self: ~Copyable {
  /// An upstream that is not told ends when its connection does.
  package mutating func end(_ upstream: UpstreamID) {}

  package mutating func giveBackMemory() {}
}
