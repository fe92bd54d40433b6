import Gateway
import GatewayCore
import Testing

/// Which failures of connections to upstreams are news.
@Suite struct ReachingLogTests {
  private let one = UpstreamID(slot: 1)
  private let other = UpstreamID(slot: 2)

  @Test func `that an upstream is out of reach is news once for each reason`() {
    var log = ReachingLog()
    #expect(log.disconnected(one, from: "a", "refused") == .unreached)
    #expect(log.disconnected(one, from: "a", "refused") == .stillUnreached)
    #expect(log.disconnected(one, from: "a", "timed out") == .unreached)
    #expect(log.disconnected(other, from: "b", "timed out") == .unreached)
    #expect(log.disconnected(other, from: "a", "timed out") == .stillUnreached)
  }

  @Test func `a connection that was there is lost, and then it is news again`() {
    var log = ReachingLog()
    #expect(log.disconnected(one, from: "a", "refused") == .unreached)
    log.connected(one, to: "a")
    #expect(log.disconnected(one, from: "a", "closed") == .lost)
    #expect(log.disconnected(one, from: "a", "refused") == .unreached)
    #expect(log.disconnected(one, from: "a", "refused") == .stillUnreached)
  }

  @Test func `a number that is used again is another connection`() {
    var log = ReachingLog()
    log.connected(one, to: "a")
    log.closed(one)
    #expect(log.disconnected(one, from: "a", "refused") == .unreached)
  }
}
