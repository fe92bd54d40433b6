import Foundation
import TestSupport
import Testing

/// Secrets of the configuration, looked for in everything that the gateway says.
@Suite struct LeakTests {
  private static let secret = "sk-4f9dEADbeef"
  private let directory: TemporaryDirectory
  private let peer: ListeningSocket

  init() throws {
    directory = try TemporaryDirectory()
    peer = try ListeningSocket()
  }

  /// Of an upstream that is asked by HTTP, and one that is a program which fails.
  private func file() throws -> String {
    let path = directory.path + "/lastword.toml"
    let text = """
      [log]
      level = "trace"
      [admin]
      address = "unix:\(directory.path)/admin"
      [[listen]]
      address = "127.0.0.1:0"
      [[upstream]]
      name = "web"
      address = "http://user:\(Self.secret)@127.0.0.1:\(peer.port)/rpc?key=\(Self.secret)"
      headers = ["Authorization: Bearer \(Self.secret)"]
      [[upstream]]
      name = "program"
      address = "exec:sh -c 'exit 3' --token \(Self.secret) --pass=\(Self.secret)"
      environment = ["API_KEY=\(Self.secret)"]
      [[route]]
      method = "program/*"
      upstream = "program"
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func rest(of program: RunningProgram) -> [String] {
    var lines: [String] = []
    while let line = program.errorLine() { lines.append(line) }
    while let line = program.outputLine() { lines.append(line) }
    return lines
  }

  /// Answers one request badly, and the next not at all.
  private func askTheWeb(over client: LineSocket) throws -> [String] {
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#)
    let first = try peer.accept()
    while let line = try first.receive(), line != "\r" {}
    try first.send(
      bytes: Array("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    first.close()
    let refused = try client.receive()
    try client.send(#"{"jsonrpc":"2.0","id":2,"method":"m"}"#)
    try peer.accept().reset()
    return [refused, try client.receive()].compactMap { $0 }
  }

  @Test func `no secret is in logs, errors, metrics, on pages, or shown`() throws {
    let path = try file()
    let gateway = try RunningGateway(
      ["--config", path], listen: [], reachesUpstream: false, opensPages: false)
    let client = try gateway.connect()
    var said = gateway.banner + (try askTheWeb(over: client))
    try client.send(#"{"jsonrpc":"2.0","id":3,"method":"program/a"}"#)
    said.append(try #require(try client.receive()))
    #expect(said.suffix(3).allSatisfy { $0.contains("\"error\"") }, "\(said.suffix(3))")
    for page in ["/", "/livez", "/readyz", "/metrics", "/keys", "/config", "/none"] {
      said.append(try gateway.get(page).body)
    }
    #expect(said.contains { $0.contains("Authorization: …") && $0.contains("API_KEY=…") })
    gateway.program.signal(SIGHUP)
    while let line = gateway.program.errorLine(), !line.contains("configuration reloaded") {
      said.append(line)
    }
    _ = gateway.stop()
    said += rest(of: gateway.program)
    for command in [
      ["config", "show", path], ["config", "show", "--origin", path], ["config", "check", path],
    ] {
      said += rest(of: try RunningProgram(Programs.lastword, command))
    }
    #expect(said.contains { $0.contains("HTTP 401") } && said.contains { $0.contains("status 3") })
    #expect(!said.contains { $0.contains(Self.secret) }, "\(said.filter { $0.contains(Self.secret) })")
  }

  @Test func `a child has no descriptor but its three streams`() throws {
    let gateway = try RunningGateway(
      upstream:
        "exec:sh -c 'ls /proc/self/fd | while read -r f; do echo open $f >&2; done; echo listed >&2; exec cat'",
      ["--per-connection"], reachesUpstream: false,
      // It was itself started with some that nobody closed.
      through: ["/bin/sh", "-c", "exec 7</dev/null 9</dev/null; exec \"$0\" \"$@\""])
    let client = try gateway.connect()
    defer { client.close() }
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"m"}"#)
    var open: [String] = []
    while let line = gateway.program.errorLine(), !line.contains("line=listed") {
      if let said = line.firstMatch(of: /line="open (\d+)"/) { open.append(String(said.1)) }
    }
    // The last one is the directory that it reads.
    #expect(open == ["0", "1", "2", "3"])
  }

  /// The kernel gives what a process hides about itself to root.
  @Test(arguments: [
    ("exec:cat", "auto", false), ("exec:sh -c 'exec cat' --token x", "auto", true),
    ("exec:sh -c 'exec cat' --token x", "allowed", false), ("exec:cat", "never", true),
  ])
  func `the memory of a gateway that has secrets is hidden`(upstream: String, dumps: String, isHidden: Bool)
    throws
  {
    let user: UInt32 = getuid() == 0 ? 65_534 : getuid()
    let asUser = getuid() == 0 ? ["setpriv", "--reuid", "\(user)", "--clear-groups"] : []
    let gateway = try RunningGateway(
      upstream: upstream, through: asUser.isEmpty ? [] : ["/usr/bin/env"] + asUser,
      environment: ["LASTWORD_CORE_DUMPS": dumps], opensPages: false)
    let path = "/proc/\(gateway.program.identifier)/status"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.ownerAccountID] as? Int == (isHidden ? 0 : Int(user)))
  }
}
