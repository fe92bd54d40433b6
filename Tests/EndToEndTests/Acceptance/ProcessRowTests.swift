import Foundation
import TestSupport
import Testing

/// The rows of a gateway that is told to stop.
@Suite struct ProcessRowTests {
  private func hold(_ client: any Caller, milliseconds: Int = 60_000) throws {
    try client.send(request(1, "sleep", #"{"ms":\#(milliseconds)}"#))
    #expect(try client.isInStep())
  }

  @Test(arguments: Transport.all(but: [.post: .idle]))
  func `once it drains, a new connection is refused, and open ones are served as before`(
    transport: Transport
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/lw.sock"
    let gateway = try RunningGateway(
      ["--drain-ms", "3600000"], listen: ["127.0.0.1:0", "unix:" + path])
    let clients = try gateway.addresses.map { try transport.caller(to: $0) }
    for client in clients { try hold(client) }
    gateway.program.signal(SIGTERM)
    try gateway.awaitLog("draining")
    for address in gateway.addresses {
      #expect(throws: LineSocket.Failure.self) { try LineSocket(address) }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    for client in clients {
      let refused = try Reply(client.call(request(2, "echo")))
      #expect(refused.id == 2 && refused.code == -32085 && refused.upstream == "notSent")
      #expect(try client.isInStep())
      try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
      #expect(try client.reply().code == -32800)
    }
    for client in clients { #expect(try client.receive() == nil && !client.socket.wasReset) }
    #expect(gateway.program.exitStatus() == 0)
  }

  /// A stopped process reads nothing: what comes meanwhile lies in the kernel, with the signal beside it. It is more
  /// than one turn of the loop reads and accepts.
  @Test(arguments: Transport.all, [false, true])
  func `what came before the signal is answered, be it unread, and its connection not accepted`(
    transport: Transport, hasWork: Bool
  ) throws {
    let gateway = try RunningGateway(["--drain-ms", "3600000"])
    let (worker, client) = (
      try transport.caller(to: gateway.address), try transport.caller(to: gateway.address)
    )
    #expect(try client.isInStep())
    if hasWork { try hold(worker, milliseconds: 200) }
    let filler = String(repeating: "x", count: 4_000)
    let texts = (1...250).map { request($0, "echo", "[\"\(filler)\"]") }
    let newcomers = try whileItIsStopped(gateway) {
      // Each POST comes over a connection of its own.
      try client.send(together: texts)
      let newcomers = try (1...150).map { _ in try gateway.connect() }
      let first = transport == .webSocket ? WebSocketPeer.request() : []
      for newcomer in newcomers {
        try newcomer.send(bytes: first + client.carried(Array(request(7, "echo").utf8)))
      }
      gateway.program.signal(SIGTERM)
      return newcomers
    }
    let replies = try client.replies(texts.count)
    #expect(replies.compactMap(\.id) == Array(1...texts.count))
    let others = try newcomers.map { newcomer in
      switch transport {
      case .lines: return try newcomer.reply()
      case .webSocket:
        #expect(try newcomer.responseHead()?.status == 101)
        return try Reply(String(decoding: newcomer.seenFrame()?.content ?? [], as: UTF8.self))
      case .post: return try Reply(newcomer.expectAnswer().content)
      }
    }
    for reply in replies + others {
      // The signal is not first in its turn, but surely before the next.
      #expect(reply.code == nil || reply.code == -32085 && reply.upstream == "notSent", "\(reply)")
    }
    // A second loop hears of the signal from the first, and may have done by then what came before.
    if RunningGateway.loops == 1 { #expect(replies.last?.code == -32085) }
    if hasWork { #expect(try worker.reply().code == nil) }
    for one in [client, worker] {
      #expect(try one.receive() == nil && !one.socket.wasReset)
      // Else it would be waited for a little.
      one.finish()
    }
    for newcomer in newcomers {
      if transport == .webSocket { #expect(try newcomer.seenFrame()?.opcode == WebSocketPeer.close) }
      #expect(try newcomer.receive() == nil && !newcomer.wasReset)
      newcomer.finish()
    }
    #expect(gateway.program.exitStatus() == 0)
  }

  private func whileItIsStopped<Result>(
    _ gateway: RunningGateway, _ act: () throws -> Result
  ) throws -> Result {
    gateway.program.signal(SIGSTOP)
    try expectEventually("it stands still") { try gateway.program.state() == "T" }
    defer { gateway.program.signal(SIGCONT) }
    return try act()
  }

  @Test(arguments: Transport.all)
  func `at the deadline even the answers that nobody had taken yet are given`(transport: Transport) throws {
    let directory = try TemporaryDirectory()
    let gateway = try RunningGateway(["--drain-ms", "50"], listen: ["unix:\(directory.path)/lw.sock"])
    let client = try transport.caller(to: gateway.address)
    let key = String(repeating: "k", count: 400)
    let ids = 1...(transport == .post ? 200 : 1_000)
    // The key comes back with each answer: more than a socket takes, and what the gateway has on its way into it.
    for id in ids {
      try client.send(request(id, "sleep", #"{"ms":60000}"#, key: key + "\(id)", policy: "wait"))
    }
    #expect(try client.isInStep())
    gateway.program.signal(SIGTERM)
    #expect(try client.replies(ids.count).map(\.id) == Array(ids))
    #expect(try client.receive() == nil && !client.socket.wasReset)
    client.finish()
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test(arguments: Transport.all)
  func `a client that never stops asking does not keep it from stopping`(transport: Transport) throws {
    let gateway = try RunningGateway(["--drain-ms", "3600000"])
    let client = try transport.caller(to: gateway.address)
    let ping = client.carried(Array(PostScene.ping.utf8))
    let pings = Array(repeatElement(ping, count: 1_000).joined())
    var sent = 0
    var hasEnded = false
    // The lines of an answer to a POST count as well as its content.
    let framing = transport == .webSocket ? Exchange.Framing.frames : .lines
    let side = Exchange(client.socket, framing, sending: { pings }) { _, _ in
      sent += 1
      if sent == 1_000 { gateway.program.signal(SIGTERM) }
    }
    // The peer's end is an error for an exchange that is not over.
    #expect(throws: LineSocket.Failure.self) { try Exchange.run([side]) { hasEnded } }
    hasEnded = true
    client.finish()
    #expect(sent >= 1_000)
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test(arguments: Transport.all, [SIGTERM, SIGINT])
  func `told a second time, it ends at once`(transport: Transport, signal: Int32) throws {
    let gateway = try RunningGateway(["--drain-ms", "3600000"])
    let client = try transport.caller(to: gateway.address)
    try hold(client)
    gateway.program.signal(SIGTERM)
    try gateway.awaitLog("draining")
    gateway.program.signal(signal)
    #expect(gateway.program.exitStatus() == 128 + signal)
    #expect(try client.receive() == nil)
  }

  @Test(.forLines(.nobody)) func `a path in use is named, and nothing opens`() throws {
    let directory = try TemporaryDirectory()
    let (path, other) = (directory.path + "/taken.sock", directory.path + "/other.sock")
    let gateway = try RunningGateway(listen: ["unix:" + path])
    let second = try RunningProgram(
      Programs.lastword, ["serve", "--listen", "unix:" + other, "--listen", "unix:" + path])
    #expect(try #require(second.errorLine()).contains("cannot listen on unix:\(path): EADDRINUSE"))
    #expect(second.exitStatus() == 69)
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(try gateway.connect().isInStep())
  }
}

extension RunningProgram {
  /// As `/proc` has it: `T` is stopped.
  func state() throws -> Substring? {
    let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
    // The program's name, in parentheses, may hold anything.
    return text[text.lastIndex(of: ")")!...].split(separator: " ").dropFirst().first
  }
}
