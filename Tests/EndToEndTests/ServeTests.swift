import Foundation
import TestSupport
import Testing

/// `lastword serve` as those who run it see it.
@Suite struct ServeTests {
  @Test func `it starts with nothing configured, says where it listens, and stops cleanly`() throws {
    let gateway = try RunningGateway()
    #expect(gateway.banner.contains { $0.contains("[INF] lastword ") })
    #expect(gateway.banner.contains { $0.contains("built-in demo handler") })
    #expect(gateway.banner.last!.hasSuffix("Started"))
    #expect(
      try gateway.connect().call(request(1, "echo", "[1.0]")) == #"{"jsonrpc":"2.0","id":1,"result":[1.0]}"#)
    #expect(gateway.stop() == 0)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `what is in flight is answered before it stops`(signal: Int32) throws {
    let gateway = try RunningGateway()
    let client = try gateway.connect()
    try client.send(request(1, "sleep", #"{"ms":300,"q":"finished"}"#))
    #expect(try client.isInStep())
    gateway.program.signal(signal)
    try gateway.awaitLog("draining")
    try client.send(request(2, "echo"))
    let replies = try client.replies(2)
    #expect(replies[0].result == "finished")
    #expect(replies[1].code == -32085)
    #expect(try client.receive() == nil)
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test func `at the drain deadline the rest hears that the gateway shuts down`() throws {
    let gateway = try RunningGateway(["--drain-ms", "50"])
    let client = try gateway.connect()
    try client.send(request(1, "sleep", #"{"ms":30000}"#))
    #expect(try client.isInStep())
    gateway.program.signal(SIGTERM)
    let reply = try client.reply()
    #expect(reply.code == -32085 && reply.upstream == "mayHaveCompleted")
    #expect(gateway.program.exitStatus() == 0)
  }

  @Test func `it listens on TCP and on a Unix socket at once`() throws {
    let directory = try TemporaryDirectory()
    let path = "unix:\(directory.path)/lw.sock"
    let gateway = try RunningGateway(listen: ["127.0.0.1:0", path])
    #expect(gateway.addresses.count == 2)
    for address in gateway.addresses {
      #expect(try LineSocket(address).call(request(1, "echo", "[]")).hasSuffix(#""result":[]}"#))
    }
    #expect(gateway.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/lw.sock"))
  }

  @Test func `a port in use is named, and nothing starts`() throws {
    let taken = try ListeningSocket()
    let program = try RunningProgram(Programs.lastword, ["serve", "--listen", "127.0.0.1:\(taken.port)"])
    #expect(try #require(program.errorLine()).contains("127.0.0.1:\(taken.port): EADDRINUSE"))
    #expect(program.exitStatus() == 69)
  }

  @Test func `it starts before its upstream, and reaches it once it is there`() throws {
    let port = try ListeningSocket().port
    let gateway = try RunningGateway(upstream: "tcp:127.0.0.1:\(port)", reachesUpstream: false)
    let client = try gateway.connect()
    let reply = try Reply(client.call(request(1, "a")))
    #expect(reply.code == -32084 && reply.upstream == "notSent" && reply.phase == "queued")
    let upstream = try ListeningSocket(port: port).acceptGateway()
    try client.send(request(2, "b"))
    try upstream.answer(upstream.asked().id!, "here")
    #expect(try client.reply().result == "here")
  }

  @Test func `killing and restarting the upstream in mid-flight loses no reply`() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/up.sock"
    var upstream: RunningUpstream? = try RunningUpstream(["--unix", path])
    let gateway = try RunningGateway(upstream: "unix:\(path)")
    let client = try gateway.connect()
    for id in 1...50 { try client.send(request(id, "sleep", #"{"ms":10000}"#)) }
    #expect(try client.isInStep())
    upstream!.program.kill()
    #expect(try client.replies(50).allSatisfy { $0.code == -32084 })
    upstream = nil
    try FileManager.default.removeItem(atPath: path)
    upstream = try RunningUpstream(["--unix", path])
    var served = false
    for id in 51...80 where !served {
      served = try Reply(client.call(request(id, "echo", "[7]"))).code == nil
    }
    #expect(served)
    #expect(try client.isInStep())
  }

  @Test func `whoever asks by HTTP what this is hears it`() throws {
    let gateway = try RunningGateway()
    let client = try gateway.connect()
    try client.send(bytes: Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8))
    #expect(try client.receive() == "HTTP/1.1 200 OK\r")
    var heard: [String] = []
    while let line = try client.receive() { heard.append(line) }
    #expect(heard.last?.contains("JSON-RPC 2.0") == true)
  }

  @Test func `a bad line is answered, and the next one is served`() throws {
    let gateway = try RunningGateway()
    let client = try gateway.connect()
    #expect(try client.isInStep("before"))
    for (line, code) in [
      ("{", -32700), (#"{"jsonrpc":"2.0","id":1,"method":"a",}"#, -32700), ("1", -32600), ("{}", -32600),
      (#"{"jsonrpc":"2.0","id":[],"method":"a"}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"lastword.nothing"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"rpc.nothing"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"echo","task":{"policy":"cancel"}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"echo","task":{"key":"k","polcy":"cancel"}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"echo","task":{"key":"k","policy":"latest"}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"echo","task":{"key":""}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"echo","task":{"key":"\ud800"}}"#, -32602),
    ] {
      #expect(try Reply(client.call(line)).code == code, "\(line)")
      #expect(try client.isInStep())
    }
  }

  @Test func `a message over the limit is refused without being stored, and the next is served`() throws {
    let gateway = try RunningGateway()
    let client = try gateway.connect()
    let over = String(repeating: "x", count: 4 * 1024 * 1024)
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["\#(over)"]}"#)
    #expect(try client.reply().code == -32086)
    #expect(try client.isInStep())
    let within = String(repeating: "x", count: 4 * 1024 * 1024 - 100)
    let reply = try client.call(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["\#(within)"]}"#)
    #expect(reply.utf8.count > within.utf8.count)
    #expect(try client.isInStep())
  }
}
