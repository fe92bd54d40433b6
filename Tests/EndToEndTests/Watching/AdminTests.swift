import Foundation
import Secrets
import TestSupport
import Testing

/// The admin pages of the real binary.
@Suite struct AdminTests {
  private static let admin = ["--admin", "127.0.0.1:0"]

  @Test func `every page is there, and what is not is told apart`() throws {
    let gateway = try RunningGateway(Self.admin)
    #expect(gateway.banner.contains { $0.contains("Admin pages on http://127.0.0.1:") })
    #expect(try gateway.get("/livez").body == "ok")
    #expect(try gateway.get("/readyz").body == "ready")
    let page = try gateway.get("/")
    #expect(page.fields["content-type"] == "text/html; charset=utf-8")
    #expect(page.body.contains("<title>lastword"))
    let missing = try gateway.get("/nothing")
    #expect(missing.status == 404)
    for path in ["/", "/config", "/livez", "/readyz"] {
      #expect((missing.body + "\n").contains("  \(path)\n"))
    }
    #expect(try gateway.get("/livez", "Expect: 100-continue").status == 200)
    for name in ["cache-control", "x-content-type-options", "content-security-policy", "referrer-policy"] {
      #expect(page.fields[name] != nil && missing.fields[name] != nil, "\(name)")
    }
    #expect(gateway.stop() == 0)
  }

  @Test func `it opens only where it is told to`() throws {
    let gateway = try RunningGateway(opensPages: false)
    #expect(gateway.adminAddress == nil)
    #expect(!gateway.banner.contains { $0.contains("Admin") })
  }

  @Test(arguments: [
    ("Host: example.org", 421), ("Host: 127.0.0.1.example.org", 421), ("Origin: http://example.org", 403),
    ("Origin: null", 403), ("Sec-Fetch-Site: cross-site", 403), ("Sec-Fetch-Site: same-site", 403),
    ("Sec-Fetch-Site: same-origin", 200), ("Sec-Fetch-Site: none", 200), ("Host: localhost:1", 200),
    ("Host: ops.example", 200), ("Content-Length: 1", 413), ("Transfer-Encoding: chunked", 400),
    ("Expect: more", 417),
  ])
  func `who must not ask is refused`(field: String, status: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    try Data("[admin]\naddress = \"127.0.0.1:0\"\nhosts = [\"ops.example\"]\n".utf8)
      .write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(["--config", path], opensPages: false)
    for page in ["/", "/livez", "/readyz", "/config"] {
      #expect(try gateway.get(page, field).status == status, "\(page)")
    }
  }

  @Test func `methods, heads and other protocols are bounded to what is served`() throws {
    let gateway = try RunningGateway(Self.admin)
    let posted = try AdminAnswer(to: "POST", "/livez", ["Content-Length: 0"], from: gateway.adminAddress)
    #expect(posted.status == 405 && posted.fields["allow"] == "GET, HEAD")
    let long = "X: " + String(repeating: "x", count: 10_000)
    #expect(try gateway.get("/livez", long).status == 431)
    #expect(try gateway.get("/" + String(repeating: "x", count: 2_048)).status == 414)
    let wrong = try LineSocket(try #require(gateway.adminAddress))
    try wrong.send(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#)
    #expect(try AdminAnswer(allOf: wrong).status == 400)
    let both = try LineSocket(try #require(gateway.adminAddress))
    let one = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
    try both.send(bytes: Array((one + one.replacing("livez", with: "readyz") + "\r\nNO").utf8))
    both.finish()
    let lines = try AdminAnswer(allOf: both).body
    #expect(lines.hasPrefix("ok\n") && lines.hasSuffix("\nready"))
  }

  @Test func `a head that comes too slowly ends in 408`() throws {
    let gateway = try RunningGateway(Self.admin)
    let slow = try LineSocket(try #require(gateway.adminAddress))
    try slow.send(bytes: Array("GET /livez HTTP/1.1\r\nHost: ".utf8))
    #expect(try AdminAnswer(allOf: slow).status == 408)
  }

  @Test func `connections are bounded by the configuration`() throws {
    let gateway = try RunningGateway(
      Self.admin, environment: ["LASTWORD_ADMIN_CONNECTIONS": "2"])
    let address = try #require(gateway.adminAddress)
    let held = try (0..<2).map { _ in try LineSocket(address) }
    for socket in held {
      try socket.send(bytes: Array("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      #expect(try socket.expect() == "HTTP/1.1 200 OK\r")
    }
    let refused = try gateway.get("/config")
    #expect(refused.status == 503 && refused.fields["retry-after"] != nil)
    #expect(try gateway.get("/livez").status == 200)
    for socket in held { socket.close() }
    _ = try gateway.awaitReadiness(200)
  }

  @Test func `it is ready while its upstreams are connected`() throws {
    let port = try ListeningSocket().port
    let gateway = try RunningGateway(
      upstream: "tcp:127.0.0.1:\(port)", Self.admin, reachesUpstream: false)
    #expect(try gateway.awaitReadiness(503) == "upstream main is not connected")
    #expect(try gateway.get("/livez").status == 200)
    let listening = try ListeningSocket(port: port)
    var upstream: LineSocket? = try listening.acceptGateway()
    #expect(try gateway.awaitReadiness(200) == "ready")
    upstream?.reset()
    upstream = nil
    _ = try gateway.awaitReadiness(503)
    upstream = try listening.acceptGateway()
    #expect(try gateway.awaitReadiness(200) == "ready")
  }

  @Test func `while it drains it says so, and open connections do not keep it`() throws {
    let listening = try ListeningSocket()
    let gateway = try RunningGateway(upstream: listening.address, Self.admin)
    let upstream = try listening.acceptGateway()
    let client = try gateway.connect()
    try client.send(request(1, "m"))
    let asked = try upstream.asked()
    let idle = try LineSocket(try #require(gateway.adminAddress))
    try idle.send(bytes: Array("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    #expect(try idle.expect() == "HTTP/1.1 200 OK\r")
    gateway.program.signal(SIGTERM)
    try gateway.awaitLog("draining")
    let readiness = try gateway.get("/readyz")
    #expect(readiness.status == 503 && readiness.body == "draining")
    #expect(try gateway.get("/livez").status == 200)
    try upstream.answer(asked.id!, "the last")
    #expect(try client.reply().result == "the last")
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test func `the configuration is shown without secrets, and after a reload the new one`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    func write(_ tasks: Int) throws {
      let text = """
        [admin]
        address = "unix:\(directory.path)/admin.sock"
        [bounds]
        tasks = \(tasks)
        [[upstream]]
        name = "child"
        address = "exec:cat"
        environment = ["TOKEN=hush"]
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    try write(7)
    let gateway = try RunningGateway(["--config", path], opensPages: false)
    let before = try gateway.get("/config").body
    #expect(before.contains("tasks = 7  # \(path):4"))
    #expect(before.contains("environment = [\"TOKEN=…\"]") && !before.contains("hush"))
    try write(8)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
    #expect(try gateway.get("/config").body.contains("tasks = 8  # \(path):4"))
    #expect(gateway.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/admin.sock"))
  }

  @Test func `an address for others to see takes a word that says so`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    let text = "[admin]\naddress = \"0.0.0.0:0\"\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let refused = try RunningProgram(
      Programs.lastword, ["serve", "--listen", "127.0.0.1:0", "--config", path])
    let line = try #require(refused.errorLine())
    #expect(line.hasPrefix("\(path):2:11: error: 'address' of [admin] must be a loopback address"))
    #expect(line.hasSuffix("say audience = \"network\" in [admin]"))
    #expect(refused.exitStatus() == 78)
    try Data((text + "audience = \"network\"\n").utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(["--config", path], opensPages: false)
    #expect(gateway.adminAddress?.hasPrefix("0.0.0.0:") == true)
    #expect(try gateway.get("/livez", "Host: 127.0.0.1").body == "ok")
  }

  #if TLS
  @Test func `pages with a token take it, from its digest in the file, until a reload has another`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lastword.toml"
    func digest(_ token: String) throws -> String {
      "sha256:" + Hexadecimal.text(of: try #require(Digest.sha256(Array(token.utf8))))
    }
    func write(_ token: String) throws {
      let text = "[admin]\naddress = \"127.0.0.1:0\"\ntoken = \"\(try digest(token))\"\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    let (first, second) = (try #require(RandomToken.make()), try #require(RandomToken.make()))
    try write(first)
    let gateway = try RunningGateway(["--config", path], opensPages: false)
    for page in ["/metrics", "/keys", "/events", "/config", "/playground/send"] {
      #expect(try gateway.get(page).status == 401, "\(page)")
      #expect(try gateway.get(page, "Authorization: Bearer \(second)").status == 401, "\(page)")
      #expect(try gateway.get(page, "Authorization: Bearer \(try digest(first))").status == 401, "\(page)")
    }
    #expect(try gateway.get("/livez").status == 200 && gateway.get("/readyz").status == 200)
    let health = try RunningProgram(
      Programs.lastword, ["health", "--admin", try #require(gateway.adminAddress)])
    #expect(health.exitStatus() == 0)
    let shown = try gateway.get("/config", "Authorization: Bearer \(first)")
    #expect(shown.status == 200 && !shown.body.contains(first))
    try write(second)
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
    #expect(try gateway.get("/keys", "Authorization: Bearer \(first)").status == 401)
    #expect(try gateway.get("/keys", "Authorization: Bearer \(second)").status == 200)
    gateway.program.signal(SIGTERM)
    var rest: [String] = []
    while let line = gateway.program.errorLine() { rest.append(line) }
    #expect(!(gateway.banner + rest).contains { $0.contains(first) || $0.contains(second) })
    #expect(gateway.program.exitStatus() == 0)
  }
  #endif

  @Test func `a port in use is named, and nothing is left behind`() throws {
    let taken = try ListeningSocket()
    let directory = try TemporaryDirectory()
    let program = try RunningProgram(
      Programs.lastword,
      ["serve", "--listen", "unix:\(directory.path)/lw.sock", "--admin", "127.0.0.1:\(taken.port)"])
    #expect(try #require(program.errorLine()).contains("127.0.0.1:\(taken.port): EADDRINUSE"))
    #expect(program.exitStatus() == 69)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/lw.sock"))
  }
}
