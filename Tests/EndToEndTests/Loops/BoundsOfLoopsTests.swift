import Foundation
import TestSupport
import Testing

/// What is bounded for the process is so with several loops, however its clients are spread over them.
@Suite struct BoundsOfLoopsTests {
  private static let loops = 3
  private static let environment = ["LASTWORD_LOOPS": "\(loops)"]
  /// So many connections or keys that each loop has some, as good as always.
  private static let many = 60

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func start(_ configuration: String) throws -> RunningGateway {
    let path = directory.path + "/lastword.toml"
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: path))
    return try RunningGateway(["--config", path], reachesUpstream: false, environment: Self.environment)
  }

  /// The processes that a process has started and that are there.
  private func children(of identifier: pid_t) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
      // It may have gone meanwhile.
      guard Int(name) != nil, let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let end = stat.lastIndex(of: ")")
      else { return false }
      return stat[end...].split(separator: " ").dropFirst(2).first == "\(identifier)"
    }
  }

  @Test func `a program that is an upstream runs once for each loop`() throws {
    let gateway = try RunningGateway(upstream: "exec:cat", environment: Self.environment)
    #expect(try children(of: gateway.program.identifier).count == Self.loops)
  }

  @Test func `no more upstreams of connections' own are open than may be`() throws {
    let upstream = try RunningUpstream()
    let gateway = try start(
      """
      [bounds]
      privateUpstreams = 3
      [[upstream]]
      name = "main"
      address = "\(upstream.address)"
      perConnection = true
      """)
    var clients: [LineSocket] = []
    func isServed() throws -> Bool {
      let client = try gateway.connect()
      clients.append(client)
      try client.send(request(1, "echo"))
      let code = try client.reply().code
      #expect(code == nil || code == -32082)
      return code == nil
    }
    var served = 0
    while served < 3, clients.count < Self.many { served += try isServed() ? 1 : 0 }
    #expect(served == 3)
    for _ in 0..<Self.loops * 4 { #expect(try !isServed()) }
  }

  @Test func `no more connections to an HTTP upstream are open than may be`() throws {
    let server = try ListeningSocket()
    let gateway = try start(
      """
      [[upstream]]
      name = "main"
      address = "http://127.0.0.1:\(server.port)/"
      maxConnections = 3
      """)
    let client = try gateway.connect()
    for number in 1...Self.many { try client.send(request(number, "m", key: "k\(number)", policy: "wait")) }
    // Each loop has one under way, and the others wait for it.
    try eventually("all have come") {
      let metrics = try gateway.metrics()
      let inFlight = metrics[#"lastword_upstream_requests_in_flight{upstream="main"}"#]
      return metrics["lastword_requests_open"] == Double(Self.many) && inFlight == 3 ? true : nil
    }
    let connections = try (0..<3).map { _ in try server.accept() }
    for connection in connections { #expect(try connection.expect().hasPrefix("POST / ")) }
    #expect(try gateway.metrics()[#"lastword_upstream_requests_in_flight{upstream="main"}"#] == 3)
    #expect(!server.hasNews)
  }
}
