import Foundation
import TestSupport
import Testing

/// What an operator of the real binary sees of clients, does to them, and finds in the audit log.
@Suite struct OperatingTests {
  // Its sums are looked at when it ends, over a socket in the directory.
  let gateway: RunningGateway
  let directory: TemporaryDirectory

  private var audit: String { directory.path + "/audit.log" }

  init() throws {
    directory = try TemporaryDirectory()
    let text = """
      [log]
      audit = "\(directory.path)/audit.log"
      [admin]
      address = "unix:\(directory.path)/admin"
      [[listen]]
      address = "127.0.0.1:0"
      [[listen]]
      address = "unix:\(directory.path)/socket"
      auth = "required"
      [[principal]]
      name = "ada"
      users = ["\(getuid())"]
      tasks = 1
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/lastword.toml"))
    gateway = try RunningGateway(
      ["--config", directory.path + "/lastword.toml"], listen: [], opensPages: false)
  }

  private func ada() throws -> LineSocket { try LineSocket("unix:\(directory.path)/socket") }

  private func ask(_ method: String, _ path: String) throws -> AdminAnswer {
    try AdminAnswer(to: method, path, from: "unix:\(directory.path)/admin")
  }

  /// The events that the audit log has, once there are so many.
  private func events(_ count: Int, in path: String) throws -> [[String: Any]] {
    try eventually("\(count) events") {
      let lines = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
      guard lines.count >= count else { return nil }
      return lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
  }

  @Test func `who takes most is shown, and what somebody takes ends with a word`() throws {
    let client = try ada()
    try client.send(request(1, "sleep", #"{"ms":50000}"#))
    let shown = try eventually("the request is shown") {
      let body = try ask("GET", "/principals").body
      return body.contains(#""tasks":1"#) ? body : nil
    }
    #expect(shown.hasPrefix(#"{"total":1,"principals":[{"principal":"ada","connections":1,"tasks":1,"#))
    let other = try gateway.connect()
    try other.send(request(1, "lastword.ping"))
    _ = try other.receive()
    let connections = try ask("GET", "/connections").body
    #expect(connections.contains(#""principal":"ada""#) && connections.contains(#""address":"127.0.0.1:"#))
    #expect(connections.contains(#""transport":"lines""#))
    #expect(try ask("GET", "/connections?principal=eve").body == #"{"connections":[]}"#)
    #expect(try ask("POST", "/evict?principal=ada").body == #"{"evicted":1}"#)
    #expect(try client.receive()?.contains("the operator ended this connection") == true)
    #expect(try client.receive() == nil)
    try other.send(request(2, "lastword.ping"))
    #expect(try other.reply().id == 2)
  }

  @Test func `what changes something is done by POST alone, and says what it lacks`() throws {
    #expect(try ask("GET", "/evict?principal=ada").status == 405)
    #expect(try ask("POST", "/principals").fields["allow"] == "GET, HEAD")
    #expect(try ask("POST", "/evict").status == 400)
    #expect(try ask("POST", "/evict?connection=x").status == 400)
    // Both would be either.
    #expect(try ask("POST", "/evict?connection=99&principal=ada").status == 400)
    #expect(try ask("POST", "/evict?connection=99").body == #"{"evicted":0}"#)
  }

  @Test func `without a token nobody on the machine ends what others have`() throws {
    let open = try RunningGateway(["--admin", "127.0.0.1:0"])
    let answer = try AdminAnswer(to: "POST", "/evict?connection=1", from: open.adminAddress)
    #expect(answer.status == 403 && answer.body.contains("[admin] token"))
  }

  @Test func `the audit log is the owner's alone, goes on over a reload, and has what happened`() throws {
    let client = try ada()
    try client.send(request(1, "sleep", #"{"ms":50000}"#, key: #"a\nb"#))
    // The quota holds at each loop: this has to come to the same.
    try client.send(request(2, "echo", key: #"a\nb"#, policy: "concurrent"))
    #expect(try client.reply().code == -32082)
    try client.send(request(3, "lastword.cancel", #"{"key":"a\nb"}"#))
    let events = try events(3, in: audit)
    #expect(events.compactMap { $0["message"] as? String } == ["authenticated", "over quota", "cancelled"])
    #expect(events.allSatisfy { $0["principal"] as? String == "ada" })
    #expect(events[2]["key"] as? String == "a\nb" && events[2]["count"] as? Int == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: audit)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // As whoever turns logs over does it.
    try FileManager.default.moveItem(atPath: audit, toPath: audit + ".1")
    gateway.program.signal(SIGHUP)
    try gateway.awaitLog("configuration reloaded")
    _ = try ada()
    #expect(try self.events(1, in: audit).first?["message"] as? String == "authenticated")
  }

  @Test func `where a key is another loop's, its cancel is noted with the same listener and address`() throws
  {
    let text = """
      [log]
      audit = "\(directory.path)/loops.log"
      [[listen]]
      address = "unix:\(directory.path)/mcp"
      mcpPath = "/mcp"
      [[listen]]
      address = "127.0.0.1:0"
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/loops.toml"))
    let gateway = try RunningGateway(
      ["--config", directory.path + "/loops.toml"], listen: [], environment: ["LASTWORD_LOOPS": "3"])
    let client = try LineSocket(gateway.addresses[1])
    let keys = (1...12).map { "k\($0)" }
    for (number, key) in keys.enumerated() {
      try client.send(request(number, "sleep", #"{"ms":50000}"#, key: key))
      try client.send(request(100 + number, "lastword.cancel", #"{"key":"\#(key)"}"#))
    }
    let events = try events(keys.count, in: directory.path + "/loops.log")
    #expect(Set(events.compactMap { $0["key"] as? String }) == Set(keys))
    #expect(Set(events.map { $0["listener"] as? String }) == [gateway.addresses[1]])
    let places = Set(events.map { $0["address"] as? String })
    #expect(places.count == 1 && places.first??.hasPrefix("127.0.0.1:") == true, "\(places)")
  }

  @Test func `an audit log that cannot be written stops the start`() throws {
    let program = try RunningProgram(
      Programs.lastword, ["serve", "--listen", "127.0.0.1:0"],
      environment: ["LASTWORD_LOG_AUDIT": directory.path + "/none/audit.log"])
    #expect(program.exitStatus() != 0)
  }
}
