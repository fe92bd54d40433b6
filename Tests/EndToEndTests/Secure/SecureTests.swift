import Foundation
import TestSupport
import Testing

/// Clients and upstreams under TLS, with the real program and foreign ones.
@Suite struct SecureTests {
  @Test func `a request is answered, by lastword call and by others`() throws {
    let scene = try SecureScene()
    #expect(try scene.call("echo", "[1]").line == "[1]")
    let python = try scene.python(
      #"""
      ask('{"jsonrpc":"2.0","id":1,"method":"echo","params":["' + "x" * 3000000 + '"]}')
      say(s.version(), len(line()))
      """#)
    #expect(python.outputLine() == "TLSv1.3 3000038")
    let health = try RunningProgram(
      Programs.lastword, ["health", "--address", scene.place, "--ca", scene.authority.certificate])
    #expect(health.outputLine() == "ping \(scene.place): ok")
  }

  @Test func `the openssl command gets its answer and a clean end`() throws {
    let scene = try SecureScene()
    let program = try RunningProgram(
      "/usr/bin/env",
      [
        "openssl", "s_client", "-connect", scene.gateway.address, "-CAfile", scene.authority.certificate,
        "-verify_return_error", "-tls1_2", "-quiet", "-no_ign_eof",
      ], takesInput: true)
    try program.send(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["a"]}"# + "\n")
    #expect(program.outputLine() == #"{"jsonrpc":"2.0","id":1,"result":["a"]}"#)
    try program.endInput()
    #expect(program.exitStatus() == 0)
  }

  @Test func `a client that has said all it has to say gets its answers, and then the end`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      #"""
      ask('{"jsonrpc":"2.0","id":1,"method":"sleep","params":{"ms":50}}')
      try: s.unwrap()
      except ssl.SSLError as error: say(error.reason)
      """#)
    // This library reads no answers behind its own end, and tells of them so: they came.
    #expect(python.outputLine() == "APPLICATION_DATA_AFTER_CLOSE_NOTIFY")
    let second = try scene.python(
      #"""
      s.unwrap()
      say("a clean end")
      """#)
    #expect(second.outputLine() == "a clean end", "the gateway says that it ends, too")
  }

  @Test func `a client that is cut off without its word takes its requests along`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      #"""
      ask('{"jsonrpc":"2.0","id":1,"method":"sleep","params":{"ms":60000},"task":{"key":"k"}}')
      ask('{"jsonrpc":"2.0","id":2,"method":"lastword.ping"}')
      say(line())
      s.shutdown(socket.SHUT_WR)
      while s.recv(1): pass
      say("over")
      """#)
    #expect(python.outputLine() == #"{"jsonrpc":"2.0","id":2,"result":null}"#)
    #expect(python.outputLine() == "over")
    _ = try eventually("nobody waits for it") {
      try scene.gateway.metrics()["lastword_client_connections"] == 0 ? true : nil
    }
  }

  @Test(arguments: ["lines", "ws", "http", "sse"])
  func `long messages both ways, of many at once, are answered as they were asked`(transport: String) throws {
    let scene = try SecureScene()
    let load = try RunningProgram(
      Programs.lastword,
      [
        "load", "--to", scene.place, "--ca", scene.authority.certificate, "--connections", "4", "--depth",
        "8",
        "--size", "50000..400000", "--no-keys", "--requests", "300", "--seconds", "50", "--fail-if",
        "errors>0", "--transport", transport,
      ])
    #expect(load.exitStatus() == 0)
  }

  // MARK: Who is refused

  @Test func `plain text is closed without a word`() throws {
    let scene = try SecureScene()
    let socket = try scene.gateway.connect()
    try socket.send(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#)
    #expect(try socket.receive() == nil)
    try scene.gateway.awaitLog("what came is no TLS")
    #expect(try scene.call("echo", "[1]").line == "[1]")
  }

  @Test func `a client that does not trust the certificate hears why`() throws {
    let scene = try SecureScene()
    let foreign = try TestAuthority(name: "Somebody else")
    let outcome = try scene.call("echo", "[1]", ca: foreign.certificate)
    #expect(outcome.status == 69)
    #expect(outcome.error?.contains("nobody who is trusted vouches for it") == true)
  }

  @Test func `a handshake that takes too long is ended`() throws {
    let scene = try SecureScene(bounds: "handshakeMs = 50")
    let silent = try scene.gateway.connect()
    #expect(try silent.receive() == nil)
    let slow = try scene.gateway.connect()
    try slow.send(bytes: [22, 3, 1])
    #expect(try slow.receive() == nil)
    try scene.gateway.awaitLog("a handshake took longer than 'handshakeMs' allows")
    #expect(try scene.call("echo", "[1]").line == "[1]")
  }

  @Test func `who has said hello and goes is not answered`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      #"""
      import os, signal, time
      incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
      try: context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
      except ssl.SSLWantReadError: pass
      gateway = int(sys.stdin.readline())
      os.kill(gateway, signal.SIGSTOP)
      for _ in range(10000):
          if open(f"/proc/{gateway}/stat").read().rpartition(")")[2].split()[0] == "T": break
          time.sleep(0.01)
      visitor = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
      visitor.settimeout(60)
      visitor.sendall(outgoing.read())
      visitor.shutdown(socket.SHUT_WR)
      os.kill(gateway, signal.SIGCONT)
      say(len(visitor.recv(65536)))
      """#)
    try python.send("\(scene.gateway.program.identifier)\n")
    #expect(python.outputLine() == "0")
    #expect(try scene.call("echo", "[1]").line == "[1]")
  }

  @Test func `of too many handshakes the oldest gives way`() throws {
    // Each loop has an equal part.
    let scene = try SecureScene(
      bounds: "handshakes = 2\nhandshakeMs = 600000", environment: RunningGateway.oneLoop)
    let oldest = try scene.gateway.connect()
    let others = try (0..<2).map { _ in try scene.gateway.connect() }
    #expect(try oldest.receive() == nil)
    #expect(others.allSatisfy { !$0.hasNews })
    try scene.gateway.awaitLog("more handshakes at once than 'handshakes' allows")
    #expect(try scene.call("echo", "[1]").line == "[1]")
  }

  @Test func `who shows no certificate of the right authority does not come in`() throws {
    let scene = try SecureScene(tls: "tls.clientCA = \"CA\"\ntls.requireClientCertificate = true")
    let alice = try scene.authority.paper("alice", subject: "/CN=alice", names: [])
    let flags = ["--certificate", alice.certificate, "--certificate-key", alice.key]
    #expect(try scene.call("echo", "[1]", flags).line == "[1]")
    #expect(try scene.call("echo", "[1]").status == 69)
    let foreign = try TestAuthority(name: "Somebody else")
    let mallory = try foreign.paper("mallory", subject: "/CN=mallory", names: [])
    let outcome = try scene.call(
      "echo", "[1]", ["--certificate", mallory.certificate, "--certificate-key", mallory.key])
    #expect(outcome.status == 69)
  }

  // MARK: Reloads

  @Test func `a shorter time for handshakes counts for those under way, from their begin`() throws {
    // Of several loops one may say that it was too long before it is said that the file was read.
    let scene = try SecureScene(bounds: "handshakeMs = 600000", environment: RunningGateway.oneLoop)
    let silent = try scene.gateway.connect()
    // It has come before this one.
    #expect(try scene.call("echo", "[1]").line == "[1]")
    try scene.reload("handshakeMs = 600000", as: "handshakeMs = 50")
    #expect(try silent.receive() == nil)
    try scene.gateway.awaitLog("a handshake took longer than 'handshakeMs' allows")
  }

  @Test func `a reload takes a new certificate, and connections stay`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      #"""
      while sys.stdin.readline():
        ask('{"jsonrpc":"2.0","id":1,"method":"echo","params":["a"]}')
        say(line())
      """#)
    let answer = #"{"jsonrpc":"2.0","id":1,"result":["a"]}"#
    try python.send("\n")
    #expect(python.outputLine() == answer)
    let other = try TestAuthority(name: "The next one")
    try scene.replace(by: try other.localPaper("next"))
    scene.gateway.program.signal(SIGHUP)
    try scene.gateway.awaitLog("configuration reloaded")
    #expect(try scene.call("echo", "[1]").status == 69)
    #expect(try scene.call("echo", "[1]", ca: other.certificate).line == "[1]")
    try python.send("\n")
    #expect(python.outputLine() == answer)
  }

  @Test func `a certificate that cannot be used changes nothing`() throws {
    let scene = try SecureScene()
    let authority = try TestAuthority(name: "The next one")
    let other = try authority.localPaper("next")
    // The certificate without its key.
    try scene.replace(by: TestAuthority.Paper(certificate: other.certificate, key: scene.paper.key))
    scene.gateway.program.signal(SIGHUP)
    try scene.gateway.awaitLog("it does not belong to the certificate")
    try scene.gateway.awaitLog("stays as it was")
    #expect(try scene.call("echo", "[1]").line == "[1]")
  }

  @Test func `who is not vouched for any more is let go by a reload`() throws {
    let scene = try SecureScene(tls: "tls.clientCA = \"CA\"\ntls.requireClientCertificate = true")
    let alice = try scene.authority.paper("alice", subject: "/CN=alice", names: [])
    let flags = ["--certificate", alice.certificate, "--certificate-key", alice.key]
    let waiting = try RunningProgram(
      Programs.lastword,
      ["call", "sleep", #"{"ms":60000}"#, "--to", scene.place, "--ca", scene.authority.certificate] + flags)
    _ = try eventually("it has come") {
      try scene.gateway.metrics()["lastword_client_connections"] == 1 ? true : nil
    }
    let other = try TestAuthority(name: "The next one")
    try scene.trustClients(of: other)
    scene.gateway.program.signal(SIGHUP)
    try scene.gateway.awaitLog("configuration reloaded")
    #expect(waiting.errorLine() != nil)
    #expect(waiting.exitStatus() == 69)
    #expect(try scene.call("echo", "[1]", flags).status == 69)
  }

  // MARK: Upstreams

  @Test func `an upstream under TLS is verified`() throws {
    let behind = try SecureScene()
    let directory = try TemporaryDirectory()
    func front(_ more: String) throws -> RunningGateway {
      let path = directory.path + "/front.toml"
      try Data("[[upstream]]\nname = \"main\"\naddress = \"\(behind.place)\"\n\(more)".utf8).write(
        to: URL(fileURLWithPath: path))
      return try RunningGateway(["--config", path], reachesUpstream: false)
    }
    let trusting = try front("tls.ca = \"\(behind.authority.certificate)\"")
    try trusting.awaitLog("upstream connected")
    #expect(
      try trusting.connect().call(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["b"]}"#)
        == #"{"jsonrpc":"2.0","id":1,"result":["b"]}"#)
    let suspicious = try front("")
    try suspicious.awaitLog("nobody who is trusted vouches for it")
    let mistaken = try front(
      "tls.ca = \"\(behind.authority.certificate)\"\ntls.serverName = \"other.example\"")
    try mistaken.awaitLog("it is for another name")
  }
}
