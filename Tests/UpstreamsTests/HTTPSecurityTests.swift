#if HTTPUpstreams
import Glibc
import Testing
import Upstreams

/// Whom requests are sent to, and whom never.
@Suite struct HTTPSecurityTests {
  /// Asks once and returns what was heard of it.
  private static func ask(_ change: (inout HTTPScene.Terms) -> Void) throws -> HTTPScene.Heard? {
    var heard: HTTPScene.Heard?
    try HTTPScene.play(change, serving: { _ in .answer("{}") }) { scene in
      scene.begin(1, "[1]")
      scene.run { scene.heard.count == 2 }
      heard = scene.heard.last
    }
    return heard
  }

  @Test func `a server with a trusted certificate is asked`() throws {
    let server = try HTTPSTestServer()
    let heard = try Self.ask {
      $0.url = "https://127.0.0.1:\(server.port)/"
      $0.caFile = server.certificate
    }
    #expect(heard == .answered(1, "[1]"))
  }

  @Test func `a server with a certificate that nobody trusts gets nothing`() throws {
    let server = try HTTPSTestServer()
    let heard = try Self.ask { $0.url = "https://127.0.0.1:\(server.port)/" }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(reason.contains("certificate"))
  }

  @Test func `a server with another one's certificate gets nothing`() throws {
    let server = try HTTPSTestServer()
    let heard = try Self.ask {
      $0.url = "https://localhost:\(server.port)/"
      $0.caFile = server.certificate
    }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(reason.contains("localhost"))
  }

  @Test func `requests share a connection behind TLS, too`() throws {
    let server = try HTTPSTestServer()
    let change = { (endpoint: inout HTTPScene.Terms) in
      endpoint.url = "https://127.0.0.1:\(server.port)/port"
      endpoint.caFile = server.certificate
      endpoint.connections = 2
    }
    try HTTPScene.play(change, serving: { _ in .close }) { scene in
      for task in 1...20 as ClosedRange<UInt64> { scene.begin(task) }
      scene.run { scene.heard.count == 21 }
      let ports = scene.heard.compactMap { if case .answered(_, let port) = $0 { port } else { nil } }
      #expect(ports.count == 20)
      #expect(Set(ports).count <= 2)
    }
  }

  @Test func `the environment's proxy is not asked`() async {
    await #expect(processExitsWith: .success) {
      // A process of its own: others read the environment meanwhile.
      let nobody = "http://127.0.0.1:1"
      for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { unsafe setenv(name, nobody, 1) }
      unsafe unsetenv("no_proxy")
      let heard = try HTTPSecurityTests.ask { _ in }
      guard heard == .answered(1, "{}") else { throw Unexpected(heard) }
    }
  }
}
#endif
