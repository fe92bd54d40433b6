import Foundation
import TestSupport
import Testing

/// Clients that say who they are with tokens which somebody else signs, with the real binary.
@Suite struct SignedTokenTests {
  let directory: TemporaryDirectory
  let gateway: RunningGateway
  let key: TestKey

  private var path: String { directory.path + "/lastword.toml" }
  private var keys: String { directory.path + "/login.jwks" }

  init() throws {
    directory = try TemporaryDirectory()
    key = try TestKey(.p256)
    let path = directory.path + "/lastword.toml"
    let text = """
      [[listen]]
      address = "127.0.0.1:0"
      auth = "required"
      [[issuer]]
      name = "login"
      issuer = "https://login.example"
      audience = "lastword"
      keys = "\(directory.path)/login.jwks"
      leewayMs = 0
      [[principal]]
      name = "ops"
      subjects = ["login:root"]
      [log]
      audit = "\(directory.path)/audit.log"
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try Data(TestKey.set([key]).utf8).write(to: URL(fileURLWithPath: directory.path + "/login.jwks"))
    gateway = try RunningGateway(["--config", path], listen: [])
  }

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: keys))
  }

  private func token(
    _ subject: String, lasting seconds: Int = 3_600, key: TestKey? = nil, header: String? = nil
  ) throws -> String {
    let end = Int(Date().timeIntervalSince1970) + seconds
    let claims = #"{"iss":"https://login.example","aud":"lastword","sub":"\#(subject)","exp":\#(end)}"#
    return try (key ?? self.key).token(claims, header: header)
  }

  private func authenticate(_ client: LineSocket, _ token: String) throws -> String? {
    try client.send(request(0, "lastword.authenticate", #"{"token":"\#(token)"}"#))
    return try client.receive()
  }

  private func named(_ name: String) -> String {
    #"{"jsonrpc":"2.0","id":0,"result":{"principal":"\#(name)"}}"#
  }

  @Test func `a token that the issuer signed is known, and a forged one is not`() throws {
    let client = try gateway.connect()
    #expect(
      try authenticate(client, token("ada", header: #"{"alg":"none","kid":"1"}"#))?.contains("-32087") == true
    )
    #expect(try authenticate(client, token("ada", key: try TestKey(.p256)))?.contains("-32087") == true)
    #expect(try authenticate(client, token("ada")) == named("login/ada"))
    try client.send(request(1, "echo"))
    #expect(try client.reply().id == 1)
    #expect(try authenticate(gateway.connect(), token("root")) == named("ops"))
  }

  @Test func `a connection ends with its token, and its work with it`() throws {
    let (short, long) = (try gateway.connect(), try gateway.connect())
    #expect(try authenticate(short, token("ada", lasting: 3)) == named("login/ada"))
    #expect(try authenticate(long, token("ada", lasting: 3)) == named("login/ada"))
    #expect(try authenticate(long, token("ada")) == named("login/ada"), "a newer one")
    try short.send(sleeping(1, "slow", milliseconds: 60_000, policy: "cancel"))
    let heard = try short.receive()
    #expect(
      heard?.contains(#""id":null,"error":{"code":-32087,"message":"the token has expired""#) == true,
      "\(heard ?? "")")
    #expect(try short.receive() == nil)
    #expect(try long.isInStep())
  }

  @Test func `a key that leaves the file ends the connections of its tokens, and a bad file changes nothing`()
    throws
  {
    let new = try TestKey(.ed25519, id: "2")
    let old = try gateway.connect()
    #expect(try authenticate(old, token("ada")) == named("login/ada"))
    try write("{")
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("is no file of keys")
    try gateway.awaitLog("the configuration stays as it was")
    #expect(try old.isInStep())
    #expect(try authenticate(gateway.connect(), token("eve")) == named("login/eve"))

    try write(TestKey.set([key, new]))
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
    let young = try gateway.connect()
    #expect(try authenticate(young, token("ada", key: new)) == named("login/ada"))
    #expect(try old.isInStep())

    try write(TestKey.set([new]))
    gateway.program.signal(SIGHUP)
    #expect(try old.receive()?.contains("-32087") == true)
    #expect(try old.receive() == nil)
    #expect(try young.isInStep())
    #expect(try authenticate(gateway.connect(), token("ada"))?.contains("-32087") == true)
  }

  @Test func `a file of keys that cannot be used is a mistake with its place`() throws {
    func check(_ expected: String, status: Int32) throws {
      let program = try RunningProgram(Programs.lastword, ["config", "check", path])
      #expect(program.errorLine() == "\(path):8:8: error: 'keys': \(keys) \(expected)")
      #expect(program.exitStatus() == status)
    }
    try write(#"{"keys":[]}"#)
    try check("is no file of keys: none of its keys is for EdDSA, ES256 or RS256 signatures", status: 78)
    try write("{\"keys\":[\(key.jwk(#","d":"AA""#))]}")
    try check("is no file of keys: key 1 is secret, and nobody else's", status: 78)
    try write(String(repeating: " ", count: 2_000_000))
    try check("cannot be read: it has more than 1048576 bytes", status: 78)
    try FileManager.default.removeItem(atPath: keys)
    try check("cannot be read: No such file or directory", status: 78)
  }

  @Test func `the audit log says why a token does not count, in a word, and the metrics how often`() throws {
    let wrong = [
      ("expired", try token("ada", lasting: -1)), ("signature", try token("ada", key: try TestKey(.p256))),
      ("unknown token", "lw_nobody"),
    ]
    for (_, token) in wrong {
      #expect(try authenticate(gateway.connect(), token)?.contains("-32087") == true)
    }
    let path = directory.path + "/audit.log"
    let lines = try eventually("three events") {
      let lines = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
      return lines.count >= 3 ? lines : nil
    }
    for (line, (reason, token)) in zip(lines, wrong) {
      #expect(
        line.contains(#""message":"authentication failed""#) && line.contains("\"reason\":\"\(reason)\""))
      #expect(!token.split(separator: ".").contains { line.contains($0) })
    }
    let metrics = try AdminAnswer(to: "GET", "/metrics", from: #require(gateway.adminAddress)).body
    #expect(metrics.contains(#"lastword_authentication_failures_total{reason="expired"} 1"#))
  }

  @Test func `the log holds no token, whatever was wrong with it`() throws {
    let client = try gateway.connect()
    let token = try token("ada", lasting: -1)
    #expect(try authenticate(client, token)?.contains("-32087") == true)
    #expect(try !gateway.awaitLog("log-ins with an unknown token").contains(token))
  }
}
