import GatewayCore
import Testing

/// What the simulator found about how long the gateway waits for the rest of a message.
@Suite struct GatewayPatienceTests {
  @Test func `a message gets its own time although one over the limit came before it`() {
    var configuration = GatewayConfiguration()
    configuration.messageLimitBytes = 100
    configuration.messageMilliseconds = 1_000
    var core = GatewayCore(configuration, seed: 1, nowMilliseconds: 0)
    var sink = ClosingSink()
    let client = core.clientConnected(listener: 0)!
    receive("{" + String(repeating: "x", count: 200), from: client, &core)
    core.timeAdvanced(to: 900)
    receive("xx\n{\"jsonrpc\":", from: client, &core)
    core.timeAdvanced(to: 1_100)
    core.flush(into: &sink)
    withKnownIssue("the time of the message over the limit is counted") {
      #expect(!sink.hasClosed)
    }
  }

  private func receive(_ text: String, from client: ClientID, _ core: inout GatewayCore) {
    let bytes = Array(text.utf8) + [UInt8](repeating: 0xff, count: 64)
    core.received(bytes.span, count: text.utf8.count, from: client)
  }
}

/// Takes everything, and knows whether a client was closed.
private struct ClosingSink: GatewaySink {
  var hasClosed = false

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    unsafe chunks.reduce(0) { unsafe $0 + $1.count }
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    unsafe chunks.reduce(0) { unsafe $0 + $1.count }
  }

  mutating func setReading(_ isReading: Bool, from client: ClientID) {}
  mutating func close(_ client: ClientID) { hasClosed = true }
  mutating func connect(_ upstream: UpstreamID) {}
  mutating func disconnect(_ upstream: UpstreamID) {}
}
