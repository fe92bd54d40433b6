import GatewayCore
import TaskStore
import Testing

/// What each of several loops keeps to.
@Suite struct DealingTests {
  private typealias Bound = WritableKeyPath<GatewayConfiguration, Int>

  /// Of each the loops together may take what the process may.
  private var bounds: [Bound] {
    [
      \.memoryBytes, \.payloadBytes, \.store.tasks, \.store.waiters, \.unauthenticatedConnections,
      \.server.handshakes, \.issuedPrincipals, \.orders, \.inFlightPerEndpoint, \.waitingPerUpstream,
      \.connectingPerEndpoint, \.privateUpstreams, \.fleet.parkedBytes,
    ]
  }

  @Test(arguments: [2, 3, 16]) func `the parts are never more than the whole`(loops: Int) {
    for bound in bounds {
      var whole = GatewayConfiguration()
      whole[keyPath: bound] = 1_000
      let part = whole.dealt(over: loops)[keyPath: bound]
      #expect(part == 1_000 / loops && part * loops <= 1_000)
    }
  }

  @Test func `each loop has one at least, and what is unbounded stays so`() {
    var whole = GatewayConfiguration()
    whole.privateUpstreams = 1
    whole.memoryBytes = 0
    #expect(whole.dealt(over: 16).privateUpstreams == 1)
    #expect(whole.dealt(over: 16).memoryBytes == 0)
  }

  @Test func `an upstream's own bounds are dealt out, too`() {
    var whole = GatewayConfiguration()
    whole.upstreams[0].inFlightPerEndpoint = 8
    whole.upstreams[0].inFlightPerConnection = 6
    whole.upstreams[0].waitingRequests = 9
    let dealt = whole.dealt(over: 4).upstreams[0]
    #expect(dealt.inFlightPerEndpoint == 2 && dealt.inFlightPerConnection == 1 && dealt.waitingRequests == 2)
  }

  @Test func `one loop has everything, and what comes by chance is not dealt out`() {
    let whole = GatewayConfiguration()
    #expect(whole.dealt(over: 1).store.tasks == whole.store.tasks)
    #expect(whole.dealt(over: 4).connections == whole.connections)
  }
}
