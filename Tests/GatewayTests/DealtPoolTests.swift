import Addresses
import Testing
import Upstreams

@testable import Gateway

/// What is the server's own, and bounded for all loops together.
@Suite struct DealtPoolTests {
  private func connections(_ whole: Int, over loops: Int) -> Int {
    let endpoint = HTTPEndpoint(url: "http://127.0.0.1:1/rpc", connections: whole)
    let options = ServerOptions(listen: [], upstreams: [ServerOptions.Upstream(.http(endpoint))], seed: 1)
    guard case .http(let dealt) = options.dealt(over: loops).upstreams[0].endpoints[0] else { return 0 }
    return dealt.connections
  }

  @Test func `connections of an HTTP upstream are dealt out, and each loop has one at least`() {
    #expect(connections(64, over: 1) == 64)
    #expect(connections(64, over: 3) == 21)
    #expect(connections(3, over: 3) == 1)
    #expect(connections(2, over: 3) == 1)
  }

  @Test func `those to a server of the Model Context Protocol are for each client, which one loop has`() {
    let endpoint = HTTPEndpoint(url: "http://127.0.0.1:1/mcp", connections: 4)
    let options = ServerOptions(listen: [], upstreams: [ServerOptions.Upstream(.mcp(endpoint))], seed: 1)
    guard case .mcp(let dealt) = options.dealt(over: 3).upstreams[0].endpoints[0] else {
      Issue.record("it is another upstream")
      return
    }
    #expect(dealt.connections == 4)
  }
}
