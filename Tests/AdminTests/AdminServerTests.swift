import Addresses
import Foundation
import HTTP1
import LibUV
import TestSupport
import Testing

@testable import Admin

/// Requests over real sockets.
@Suite struct AdminServerTests {
  private static let hello = get("/hello")
  private static let stream = get("/events")

  private static func get(_ path: String, host: String = "localhost") -> String {
    "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
  }

  private func scene(_ change: (inout AdminOptions) -> Void = { _ in }) throws -> AdminScene {
    let scene = try AdminScene(change)
    scene.server.add("/hello") { .text("hello \($0.target.query)\n") }
    scene.server.add("/large") { _ in .text(String(repeating: "x", count: 4 << 20)) }
    scene.server.addStream("/events") { _, _ in }
    return scene
  }

  @Test func `a page is answered with what keeps it to itself`() throws {
    let scene = try scene()
    let lines = scene.get("/hello?you").components(separatedBy: "\r\n")
    #expect(lines.first == "HTTP/1.1 200 OK")
    for field in [
      "Content-Type: text/plain; charset=utf-8", "Content-Length: 10", "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Connection: close",
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    ] { #expect(lines.contains(field), "\(lines)") }
    #expect(lines.suffix(2) == ["", "hello you\n"])
    scene.end()
  }

  @Test func `the head alone is as with its content`() throws {
    let scene = try scene()
    let whole = scene.get("/hello")
    let head = scene.answer("HEAD /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(whole == head + "hello \n")
    #expect(
      scene.answer("HEAD /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .contains("text/event-stream"))
    scene.end()
  }

  @Test func `a path that is not there names those that are`() throws {
    let scene = try scene()
    let answer = scene.get("/nothing")
    #expect(answer.hasPrefix("HTTP/1.1 404 "))
    #expect(answer.hasSuffix("  /events\n  /hello\n  /large\n"))
    for path in ["/", "/hell", "/hello/", "//hello", "/hello/there", "/*"] {
      #expect(scene.get(path).hasPrefix("HTTP/1.1 404 "), "\(path)")
    }
    scene.end()
  }

  @Test(arguments: [
    ("Host: example.org", 421), ("Host: localhost\r\nOrigin: http://example.org", 403),
    ("Host: localhost\r\nSec-Fetch-Site: cross-site", 403), ("Host: localhost\r\nHost: localhost", 400),
    ("Host: localhost\r\nContent-Length: 1", 413), ("X: y", 400),
  ])
  func `what must not be asked is not answered`(fields: String, status: Int) throws {
    let scene = try scene()
    let answer = scene.answer("GET /hello HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect(!answer.contains("hello"))
    scene.end()
  }

  @Test func `another method is refused with those that are served`() throws {
    let scene = try scene()
    let host = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    let posted = scene.answer("POST /hello" + host + "\r\n")
    #expect(posted.hasPrefix("HTTP/1.1 405 ") && posted.contains("\r\nAllow: GET, HEAD\r\n"))
    let put = scene.answer("PUT /hello" + host + "\r\n")
    #expect(put.hasPrefix("HTTP/1.1 405 ") && put.contains("\r\nAllow: GET, HEAD, POST\r\n"))
    // No page takes content.
    #expect(scene.answer("POST /hello" + host + "Content-Length: 2\r\n\r\n{}").hasPrefix("HTTP/1.1 413 "))
    scene.end()
  }

  @Test(arguments: ["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"lastword.ping\"}\n", "\u{16}\u{3}", "{"])
  func `what is no HTTP is told so in HTTP, and the connection ends`(text: String) throws {
    let scene = try scene()
    #expect(scene.answer(text).hasPrefix("HTTP/1.1 400 "))
    scene.end()
  }

  @Test func `requests in one piece are answered in their order, until one is the last`() throws {
    let scene = try scene()
    let many = (0..<1000).map { "GET /hello?\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined()
    let answer = scene.answer(many + "GET /hello?last HTTP/1.0\r\n\r\n" + Self.hello)
    let said = answer.matches(of: /hello (\w+)\n/).map { String($0.1) }
    let isInOrder = said == (0..<1000).map { "\($0)" } + ["last"]
    #expect(isInOrder, "\(said.count) answers")
    scene.end()
  }

  @Test func `a peer that has ended its side gets all its answers`() throws {
    let scene = try scene()
    let caller = scene.call()
    caller.say("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.hello)
    caller.stream?.shutdown()
    scene.run { caller.hasEnded }
    #expect(caller.text.hasSuffix("hello \n"))
    #expect(caller.received.count > 4 << 20)
    scene.end()
  }

  @Test func `who does not read is asked for no more, and let go after a while`() throws {
    let scene = try scene { $0.stallMilliseconds = 50 }
    var answered = 0
    scene.server.add("/large") { _ in
      answered += 1
      return .text(String(repeating: "x", count: 16 << 20))
    }
    let caller = scene.call(readsAtOnce: false)
    caller.say(String(repeating: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 20))
    scene.run { scene.server.connectionCount == 1 && answered > 0 }
    scene.run { scene.server.connectionCount == 0 }
    #expect(answered == 1)
    scene.end()
  }

  @Test func `a peer that goes in the middle of its answer leaves nothing behind`() throws {
    let scene = try scene()
    let caller = scene.call(readsAtOnce: false)
    caller.say("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.hello)
    scene.run { scene.server.connectionCount == 1 }
    caller.stream?.reset()
    scene.run { scene.server.connectionCount == 0 }
    #expect(scene.get("/hello").hasPrefix("HTTP/1.1 200 "))
    scene.end()
  }

  @Test func `a head that does not come to its end is told so`() throws {
    let scene = try scene { $0.headMilliseconds = 30 }
    let caller = scene.call()
    caller.say(Self.hello + "GET / HT")
    scene.run { caller.hasEnded }
    #expect(caller.text.contains("hello \n") && caller.text.contains("HTTP/1.1 408 "))
    scene.end()
  }

  @Test func `who asks nothing is let go without a word`() throws {
    let scene = try scene { $0.idleMilliseconds = 30 }
    #expect(scene.answer("") == "")
    let caller = scene.call()
    caller.say(Self.hello)
    scene.run { caller.hasEnded }
    #expect(caller.text.hasSuffix("hello \n"))
    scene.end()
  }

  @Test func `too many are told to come again, and room is made when one goes`() throws {
    let scene = try scene { $0.connections = 2 }
    let held = (0..<2).map { _ in scene.call() }
    for caller in held {
      caller.say(Self.stream)
      scene.run { !caller.received.isEmpty }
    }
    let refused = scene.answer(Self.hello)
    #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("\r\nRetry-After: "))
    held[0].close()
    scene.run { scene.server.connectionCount < 2 }
    #expect(scene.get("/hello").hasPrefix("HTTP/1.1 200 "))
    scene.end()
  }

  @Test func `a Unix socket is for its owner, and any host is right there`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/admin.sock"
    let scene = try scene { $0.address = .unix(path: path) }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(scene.server.name == "unix:\(path)")
    #expect(scene.answer("GET /hello HTTP/1.0\r\nHost: any.example\r\n\r\n").hasSuffix("hello \n"))
    scene.end()
  }

  @Test func `new hosts and bounds are for what comes next`() throws {
    let scene = try scene()
    let held = scene.call()
    held.say(Self.hello)
    scene.run { !held.received.isEmpty }
    var options = AdminOptions(.unix(path: "/elsewhere"))
    options.hosts = ["name.example"]
    options.connections = 1
    scene.server.reconfigure(options)
    held.say("GET /hello?again HTTP/1.1\r\nHost: name.example\r\n\r\n")
    scene.run { held.text.hasSuffix("hello again\n") }
    held.say("GET /events HTTP/1.1\r\nHost: name.example\r\n\r\n")
    scene.run { scene.server.streamCount == 1 }
    #expect(scene.answer(Self.get("/hello", host: "name.example")).hasPrefix("HTTP/1.1 503 "))
    scene.end()
  }

  // MARK: Others' turns

  @Test func `who asks is answered, however many others only begin to`() throws {
    let scene = try scene {
      $0.connections = 4
      $0.graceMilliseconds = AdminScene.watchdogMilliseconds
    }
    let idle = scene.call()
    idle.say(Self.hello)
    scene.run { !idle.received.isEmpty }
    let half = (0..<3).map { _ in scene.call() }
    for caller in half { caller.say("GET /hello HTTP/1.1\r\nHost:") }
    for _ in 0..<2 { #expect(scene.get("/hello").hasPrefix("HTTP/1.1 200 ")) }
    // Those go that have begun first, and who has asked stays.
    scene.run { half[0].hasEnded && half[1].hasEnded }
    #expect(!half[2].hasEnded && !idle.hasEnded)
    #expect(scene.server.connectionCount <= 4)
    scene.end()
  }

  @Test func `who has just come keeps its place, and others wait until somebody gives way`() throws {
    let scene = try scene {
      $0.connections = 1
      $0.graceMilliseconds = AdminScene.watchdogMilliseconds
    }
    // One has the place, one that of the reserve.
    let silent = (0..<2).map { _ in scene.call() }
    scene.run { scene.server.connectionCount == 2 }
    #expect(scene.server.waitForRoomMilliseconds() == AdminServer.lookMilliseconds)
    let next = scene.call()
    next.say(Self.hello)
    silent[0].say("GET /hello HTTP/1.1\r\nHost:")
    scene.run { silent[0].hasEnded && !next.received.isEmpty }
    #expect(next.text.hasPrefix("HTTP/1.1 200 "))
    #expect(!silent[1].hasEnded)
    scene.end()
  }

  @Test func `who has said nothing for long enough gives way`() throws {
    let scene = try scene { $0.connections = 1 }
    let silent = (0..<2).map { _ in scene.call() }
    scene.run { scene.server.connectionCount == 2 }
    let next = scene.call()
    next.say(Self.hello)
    scene.run { !next.received.isEmpty && silent.contains { $0.hasEnded } }
    scene.end()
  }

  @Test func `a head that has only begun is worth less than silence`() throws {
    let scene = try scene { $0.connections = 2 }
    let silent = scene.call()
    scene.run { scene.server.connectionCount == 1 }
    let half = scene.call()
    half.say("GET /hello HTTP/1.1\r\nHost:")
    #expect(scene.get("/hello").hasPrefix("HTTP/1.1 200 "))
    scene.run { half.hasEnded }
    #expect(!silent.hasEnded)
    scene.end()
  }

  @Test func `however busy all places are, who asks how it is hears that, once`() throws {
    let scene = try scene { $0.connections = 2 }
    scene.server.add("/live", isShort: true) { _ in .text("ok\n") }
    for _ in 0..<2 { scene.call().say(Self.stream) }
    scene.run { scene.server.streamCount == 2 }
    // Those who say nothing keep nobody from it, either.
    let silent = (0..<3).map { _ in scene.call() }
    let answer = scene.answer(Self.get("/live") + Self.get("/live"))
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("ok\n"))
    #expect(answer.components(separatedBy: "HTTP/1.1").count == 2)
    for path in ["/hello", "/events", "/nothing"] {
      #expect(scene.answer(Self.get(path)).hasPrefix("HTTP/1.1 503 "), "\(path)")
    }
    #expect(silent[0].hasEnded && scene.server.connectionCount <= 4)
    scene.end()
  }

  @Test func `who reads events keeps its place`() throws {
    let scene = try scene { $0.connections = 3 }
    let reader = scene.call()
    reader.say(Self.stream)
    scene.run { scene.server.streamCount == 1 }
    let half = (0..<4).map { _ in scene.call() }
    for caller in half { caller.say("GET") }
    #expect(scene.get("/hello").hasPrefix("HTTP/1.1 200 "))
    #expect(!reader.hasEnded && scene.server.streamCount == 1)
    scene.end()
  }

  @Test func `of many requests in one piece one is answered in a turn`() throws {
    let scene = try scene()
    var order: [String] = []
    for path in ["/a", "/b"] {
      scene.server.add(path) { _ in
        order.append(path)
        return .text("")
      }
    }
    scene.server.add("/live", isShort: true) { _ in
      order.append("/live")
      return .text("")
    }
    let callers = (0..<3).map { _ in scene.call() }
    callers[0].say(String(repeating: Self.get("/a"), count: 50))
    callers[1].say(String(repeating: Self.get("/b"), count: 10))
    scene.run { !order.isEmpty }
    callers[2].say(String(repeating: Self.get("/live"), count: 2))
    scene.run { order.count == 62 }
    let behindLive = order.count - (order.lastIndex(of: "/live") ?? 0)
    #expect(behindLive > 30, "\(order)")
    let firsts = order.prefix(1 + (order.lastIndex(of: "/b") ?? 0))
    #expect(firsts.count { $0 == "/a" } <= 14, "\(order)")
    scene.end()
  }
}
