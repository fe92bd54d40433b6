import Foundation
import TestSupport
import Testing

/// What clients under TLS name by ALPN, and what may be spoken then.
@Suite struct ApplicationProtocolTests {
  /// Another connection, on which these names are offered; and what comes of bytes on it.
  private static let offering = #"""
    def connect(*names):
        terms = ssl.create_default_context(cafile=sys.argv[1])
        terms.set_alpn_protocols(names)
        peer = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
        peer.settimeout(60)
        return terms.wrap_socket(peer, server_hostname="localhost")
    def outcome(*names):
        try: return connect(*names).selected_alpn_protocol()
        except ssl.SSLError as error: return "no application protocol" in str(error)
    def answer(peer, text):
        peer.sendall(text)
        got = b""
        while more := peer.recv(65536): got += more
        return got
    PING = b'{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}'
    POST = b"POST TARGET HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    POST += b"Content-Length: %d\r\n\r\n" % len(PING) + PING

    """#

  @Test func `HTTP is chosen where it is offered, other names are refused`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      Self.offering + #"""
        say(outcome("http/1.1"), outcome("h2", "http/1.1"), outcome(), s.selected_alpn_protocol())
        say(outcome("h2"), outcome("lastword", "http/1.0"))
        """#)
    #expect(python.outputLine() == "http/1.1 http/1.1 None None")
    #expect(python.outputLine() == "True True", "the alert says so")
    try scene.gateway.awaitLog("no agreement on TLS")
  }

  @Test func `who has chosen HTTP speaks nothing else, and who has not may`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      Self.offering + #"""
        say(answer(connect("http/1.1"), POST.replace(b"TARGET", b"/")).split(b"\r\n")[0])
        say(answer(connect("http/1.1"), b"\r\n" + POST.replace(b"TARGET", b"/")).split(b"\r\n")[0])
        for text in [PING + b"\n", b"Content-Length: 2\r\n\r\n{}", b"\0", b"\n\n"]:
            got = answer(connect("http/1.1"), text)
            say(got.split(b"\r\n")[0], b"-32600" in got)
        ask(PING.decode())
        say(line())
        """#)
    for _ in 0..<2 { #expect(python.outputLine() == "b'HTTP/1.1 200 OK'") }
    for _ in 0..<4 { #expect(python.outputLine() == "b'HTTP/1.1 400 Bad Request' True") }
    #expect(python.outputLine() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
  }

  @Test func `where neither HTTP nor WebSocket is spoken, HTTP is not chosen, and a reload changes that`()
    throws
  {
    let lines = #"protocols = ["lines"]"#
    let scene = try SecureScene(tls: lines)
    func outcomes() throws -> String? {
      try scene.python(Self.offering + #"say(outcome("h2", "http/1.1"), outcome())"#).outputLine()
    }
    #expect(try outcomes() == "True None")
    try scene.reload(lines, as: #"protocols = ["websocket"]"#)
    #expect(try outcomes() == "http/1.1 None")
  }

  @Test func `a target that is a whole URL has the scheme of its connection`() throws {
    let scene = try SecureScene()
    let python = try scene.python(
      Self.offering + #"""
        for target in [b"https://localhost/", b"WSS://127.0.0.1:1/x", b"http://localhost/", b"https://evil.example/"]:
            say(answer(connect("http/1.1"), POST.replace(b"TARGET", target)).split(b"\r\n")[0])
        """#)
    for _ in 0..<2 { #expect(python.outputLine() == "b'HTTP/1.1 200 OK'") }
    for _ in 0..<2 { #expect(python.outputLine() == "b'HTTP/1.1 421 Misdirected Request'") }
  }

  @Test func `curl asks over https`() throws {
    let scene = try SecureScene()
    for offers in [["--http1.1"], ["--http2"], ["--no-alpn"]] {
      let curl = try RunningProgram(
        "/usr/bin/env",
        [
          "curl", "--silent", "--show-error", "--max-time", "60", "--cacert", scene.authority.certificate,
          "--header", "content-type: application/json", "--data", request(1, "echo", "[1]"),
          "https://localhost:\(scene.port)/",
        ] + offers)
      #expect(curl.outputLine() == #"{"jsonrpc":"2.0","id":1,"result":[1]}"#, "\(offers)")
      #expect(curl.exitStatus() == 0)
    }
  }

  @Test func `a POST is from whom its certificate names`() throws {
    let scene = try SecureScene(
      tls: """
        auth = "required"
        tls.clientCA = "CA"
        [[principal]]
        name = "alice"
        certificates = ["subject:CN=alice"]
        """)
    let alice = try scene.authority.paper("alice", subject: "/CN=alice", names: [])
    func ask(_ more: [String]) throws -> String? {
      let curl = try RunningProgram(
        "/usr/bin/env",
        [
          "curl", "--silent", "--show-error", "--max-time", "60", "--cacert", scene.authority.certificate,
          "--header", "content-type: application/json", "--data", request(1, "echo", "[1]"), "--write-out",
          "%{http_code}\n", "https://localhost:\(scene.port)/",
        ] + more)
      let lines = [curl.outputLine(), curl.outputLine()]
      return lines.compactMap { $0 }.joined(separator: " ")
    }
    let shown = ["--cert", alice.certificate, "--key", alice.key]
    #expect(try ask(shown) == #"{"jsonrpc":"2.0","id":1,"result":[1]} 200"#)
    #expect(try ask([])?.hasSuffix("401") == true)
    // Who says something of a token is held to it.
    for token in ["Bearer", "Bearer a b", "Bearer nobody"] {
      #expect(try ask(shown + ["--header", "Authorization: \(token)"])?.hasSuffix("401") == true, "\(token)")
    }
  }
}
