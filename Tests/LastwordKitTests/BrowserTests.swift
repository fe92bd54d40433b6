import LastwordKit
import TestSupport
import Testing

/// Which clients and pages a gateway in this process lets in.
@Suite struct BrowserTests {
  private func gateway(_ change: (inout GatewayOptions) -> Void) -> Gateway {
    var options = GatewayOptions()
    options.drain = .zero
    change(&options)
    return Gateway(listen: ["127.0.0.1:0"], options: options)
  }

  private func status(_ served: ServedGateway, _ fields: String, host: String = "localhost") throws -> Int {
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    let head = "POST / HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n\(fields)"
    let client = try served.connect()
    try client.send(bytes: Array("\(head)Content-Length: \(ping.utf8.count)\r\n\r\n\(ping)".utf8))
    return try client.expectAnswer().status
  }

  @Test func `pages come whose origin is named, under names that are known`() async throws {
    let gateway = gateway {
      $0.origins = ["https://App.example.com:443"]
      $0.hosts = ["rpc.Example.com"]
    }
    try await ServedGateway.serving(gateway) { served throws in
      #expect(try status(served, "Origin: https://app.example.com\r\n") == 200)
      #expect(try status(served, "Origin: https://evil.example.com\r\n") == 403)
      #expect(try status(served, "", host: "rpc.example.com:80") == 200)
      #expect(try status(served, "", host: "evil.example.com") == 421)
    }
  }

  @Test func `by default no page comes, and everything is spoken`() async throws {
    try await ServedGateway.serving(gateway { _ in }) { served throws in
      #expect(try status(served, "Origin: http://localhost\r\n") == 403)
      #expect(try status(served, "") == 200)
      #expect(try served.connect().isInStep())
    }
  }

  @Test func `what is left out is not spoken`() async throws {
    try await ServedGateway.serving(gateway { $0.protocols = [.webSocket] }) { served throws in
      #expect(try status(served, "") == 426)
      let line = try served.connect()
      try line.send(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#)
      #expect(try line.expect().hasPrefix("HTTP/1.1 400"))
    }
    try await ServedGateway.serving(gateway { $0.protocols = [.lines] }) { served throws in
      #expect(try served.connect().isInStep())
    }
  }

  @Test(arguments: ["", "app.example.com", "https://", "https://a/b", "null", "wss://a", "file://a", "*"])
  func `what is no origin, or too many, starts nothing`(origin: String) async throws {
    let error = await #expect(throws: GatewayError.self) {
      try await gateway { $0.origins = [origin] }.run()
    }
    #expect(error?.code == .invalidOrigin)
  }

  @Test(arguments: ["", "a:80", "127.0.0.1", "[::1]", "a b", "a/b", "\u{e9}"])
  func `what is no host's name starts nothing`(host: String) async throws {
    let error = await #expect(throws: GatewayError.self) { try await gateway { $0.hosts = [host] }.run() }
    #expect(error?.code == .invalidHost)
  }
}
