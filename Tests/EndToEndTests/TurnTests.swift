import Glibc
import TestSupport
import Testing

/// One client has much to say; others have their turn before it is through.
@Suite struct TurnTests {
  /// A turn is one loop's.
  private static func gateway() throws -> RunningGateway {
    try RunningGateway(environment: RunningGateway.oneLoop)
  }

  /// What is sent meanwhile is all there when the gateway goes on.
  private func whileItStandsStill(_ gateway: RunningGateway, _ act: () throws -> Void) throws {
    gateway.program.signal(SIGSTOP)
    try expectEventually("it stands still") { try gateway.program.state() == "T" }
    defer { gateway.program.signal(SIGCONT) }
    try act()
  }

  private static let unasked = #"{"jsonrpc":"2.0","id":1,"result":1}"#
  private static let look =
    #"{"jsonrpc":"2.0","id":"last","method":"lastword.inspect","params":{"key":"honest"}}"#

  @Test(arguments: [
    // Far less than is read at once.
    String(repeating: unasked + "\n", count: 1_000),
    "[" + repeatElement(unasked, count: 1_000).joined(separator: ",") + "]\n",
    String(
      repeating: #"{"jsonrpc":"2.0","method":"lastword.inspect","params":{"key":"k"}}"# + "\n", count: 500),
  ])
  func `a request is admitted before the last of what another sent first`(flood: String) throws {
    let gateway = try Self.gateway()
    let (greedy, honest) = (try gateway.connect(), try gateway.connect())
    #expect(try greedy.isInStep() && honest.isInStep())
    try whileItStandsStill(gateway) {
      try greedy.send(flood + Self.look)
      try honest.send(sleeping(1, "q", milliseconds: 60_000, key: "honest", policy: "cancel"))
    }
    #expect(try greedy.expect().contains(#""count":1"#))
    honest.reset()
  }

  @Test func `a request is answered before the last of many pages`() throws {
    let gateway = try Self.gateway()
    let (greedy, honest) = (try LineSocket(gateway.adminAddress ?? ""), try gateway.connect())
    let page = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
    try greedy.send(bytes: Array("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    while try greedy.expect() != "ok" {}
    #expect(try honest.isInStep())
    try whileItStandsStill(gateway) {
      let pages = String(repeating: page + "\r\n", count: 20) + page + "Connection: close\r\n\r\n"
      try greedy.send(bytes: Array(pages.utf8))
      try honest.send(request(1, "echo"))
    }
    var admitted: [String] = []
    while let line = try greedy.receive() {
      if line.hasPrefix("lastword_requests_admitted_total ") { admitted.append(line) }
    }
    #expect(admitted.count >= 21 && admitted.last?.hasSuffix(" 1") == true, "\(admitted)")
    #expect(try honest.reply().id == 1)
  }

  @Test func `health is answered, however many connections ask nothing`() throws {
    let gateway = try Self.gateway()
    let address = try #require(gateway.adminAddress)
    let half = try (0..<80).map { _ in
      let socket = try LineSocket(address)
      try socket.send(bytes: Array("GET /livez HTTP/1.1\r\nHost:".utf8))
      return socket
    }
    for path in ["/livez", "/readyz"] { #expect(try gateway.get(path).status == 200) }
    let health = try RunningProgram(Programs.lastword, ["health", "--admin", address])
    #expect(health.exitStatus() == 0)
    #expect(half.contains { !$0.isClosedByPeer() })
  }

  @Test func `a batch that takes many turns is answered to its end by a gateway that stops`() throws {
    let gateway = try Self.gateway()
    let client = try gateway.connect()
    #expect(try client.isInStep())
    try whileItStandsStill(gateway) {
      let pings = (0..<900).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"lastword.ping"}"# }
      try client.send("[" + pings.joined(separator: ",") + "]")
      gateway.program.signal(SIGTERM)
    }
    let answer = try client.expect()
    #expect(answer.matches(of: /"result":null/).count == 900)
    #expect(try client.receive() == nil && gateway.program.exitStatus() == 0)
  }
}
