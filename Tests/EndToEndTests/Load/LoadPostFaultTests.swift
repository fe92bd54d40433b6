import Foundation
import TestSupport
import Testing

/// What `lastword load` says of a gateway that cheats over POSTs, and that it takes what is right in whatever form.
@Suite struct LoadPostFaultTests {
  private func load(
    _ transport: String = "http", requests: Int, policy: String = "cancel", _ more: [String] = []
  ) throws -> (load: RunningProgram, listener: ListeningSocket) {
    let listener = try ListeningSocket()
    let words = [
      "load", "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "\(requests)", "--keys",
      "1", "--requests", "\(requests)", "--policy", policy, "--patience-ms", "300", "--transport", transport,
    ]
    return (try RunningProgram(Programs.lastword, words + more), listener)
  }

  private func finish(_ load: RunningProgram) -> (lines: [String], status: Int32?) {
    var lines: [String] = []
    while let line = load.outputLine() { lines.append(line) }
    return (lines, load.exitStatus())
  }

  /// What asks each request, in the order of their numbers.
  private func peers(_ listener: ListeningSocket, _ count: Int) throws -> [LineSocket] {
    let all = try (0..<count).map { _ in try listener.accept() }
    let numbered = try all.map { (try #require(Reply($0.post().content).id), $0) }
    return numbered.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func result(_ id: Int, n: Int? = nil, arrival: Int = 1, newest: Int = 0) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":{"n":\#(n ?? id),"arrival":\#(arrival),"newest":\#(newest)}}"#
  }

  private func error(_ id: Int, _ code: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"no"}}"#
  }

  private func event(_ data: String) -> String { "event: message\ndata: \(data)\n\n" }

  // MARK: What is right

  @Test func `all POSTs of a client name its session, and each is on a connection of its own`() throws {
    let (load, listener) = try load(requests: 3)
    let peers = try (0..<3).map { _ in try listener.accept() }
    let posts = try peers.map { try $0.post() }
    #expect(Set(posts.map { $0.fields["lastword-session"] }).count == 1)
    #expect((posts[0].fields["lastword-session"]?.utf8.count ?? 0) >= 22)
    #expect(posts.allSatisfy { $0.fields[""] == "POST / HTTP/1.1\r" && $0.fields["accept"] == nil })
    #expect(posts.allSatisfy { $0.fields["content-type"] == "application/json" })
    for (peer, post) in zip(peers, posts) {
      let id = try #require(Reply(post.content).id)
      #expect(post.content.contains(#""policy":"cancel","order":\#(id)}"#), "\(post.content)")
      try peer.respond(result(id, arrival: id))
    }
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
  }

  @Test(arguments: ["wait", "onAnswer", "keepLatest"])
  func `POSTs arrive in any order, and no answer to one is late for that`(policy: String) throws {
    let (load, listener) = try load(requests: 2, policy: policy)
    let peers = try peers(listener, 2)
    try peers[1].respond(result(2, arrival: 1))
    try peers[0].respond(result(1, arrival: 2))
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
  }

  @Test func `a connection that the gateway ends after a reply is made anew`() throws {
    let listener = try ListeningSocket()
    let load = try RunningProgram(
      Programs.lastword,
      [
        "load", "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "1", "--keys", "1",
        "--requests", "2", "--transport", "http",
      ])
    let first = try listener.accept()
    _ = try first.post()
    let reply = result(1)
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(reply.utf8.count)\r\n\r\n"
    try first.send(bytes: Array((head + reply).utf8))
    let second = try listener.accept()
    #expect(try Reply(second.post().content).id == 2)
    try second.respond(result(2))
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
  }

  @Test func `a reply may come in any pieces and under any head`() throws {
    let listener = try ListeningSocket()
    let load = try RunningProgram(
      Programs.lastword,
      [
        "load", "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "1", "--keys", "1",
        "--requests", "6", "--transport", "http",
      ])
    let peer = try listener.accept()
    for number in 1...6 {
      let id = try #require(Reply(peer.post().content).id)
      #expect(id == number)
      let reply = result(id)
      let sized = "Content-Length: \(reply.utf8.count)\r\n"
      let chunks = "\(String(reply.utf8.count, radix: 16))\r\n\(reply)\r\n0\r\n\r\n"
      switch number {
      case 1, 2: try peer.respond(reply)
      case 3: try peer.send(bytes: Array("HTTP/1.1 200 OK\r\n\(sized)X-Other: 1\r\n\r\n\(reply)".utf8))
      case 4:
        // Known by its head, and cut within both.
        for byte in Array("HTTP/1.1 200 OK\r\n\(sized)X-Other: 1\r\n\r\n\(reply)".utf8) {
          try peer.send(bytes: [byte])
        }
      case 5:
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try peer.send(bytes: Array((head + chunks).utf8))
      default:
        try peer.send(bytes: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        try peer.respond(reply)
      }
    }
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
  }

  // MARK: What is wrong

  @Test(arguments: ["cancel", "cancelAndWait"])
  func `load catches who sends on what comes behind a newer request of its session`(policy: String) throws {
    let (load, listener) = try load(requests: 2, policy: policy)
    let peers = try peers(listener, 2)
    try peers[1].respond(result(2, arrival: 1))
    try peers[0].respond(result(1, arrival: 2))
    let (lines, status) = finish(load)
    #expect(status != 0 && lines.contains { $0.contains("heard of behind request 2 of the same session") })
  }

  /// The responses to the requests 1 and 2 of a key.
  @Test(arguments: [
    ("cancel", "the result of another", [(1, 2, 200), (2, 2, 200)]),
    ("cancel", "came with status 503", [(1, 1, 503), (2, 2, 200)]),
    ("cancel", "was superseded, and so was every other", [(1, 0, 200), (2, 0, 200)]),
    ("concurrent", "nothing newer was asked", [(1, 0, 200), (2, 2, 200)]),
    ("cancel", "was not open", [(2, 2, 200), (1, 1, 200)]),
    ("cancel", "had no reply to it", [(1, -1, 202), (2, 2, 200)]),
  ])
  func `load catches who breaks a promise`(
    policy: String, finding: String, responses: [(id: Int, n: Int, status: Int)]
  ) throws {
    let (load, listener) = try load(requests: 2, policy: policy)
    for (peer, response) in zip(try peers(listener, 2), responses) {
      switch response.n {
      case -1: try peer.respond("", status: response.status)
      case 0: try peer.respond(error(response.id, -32080), status: response.status)
      default:
        try peer.respond(result(response.id, n: response.n, arrival: response.n), status: response.status)
      }
    }
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains(finding) }, "\(lines)")
    #expect(status == 1)
  }

  @Test func `load catches a result of which upstream knew that it was stale`() throws {
    let (load, listener) = try load(requests: 2)
    let peers = try peers(listener, 2)
    try peers[0].respond(result(1, arrival: 1, newest: 2))
    try peers[1].respond(result(2, arrival: 2, newest: 2))
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains("a stale result of request 1") }, "\(lines)")
    #expect(status == 1)
  }

  @Test(arguments: [1, 2])
  func `load takes one event for each POST, and no more`(count: Int) throws {
    let (load, listener) = try load("sse", requests: 1)
    let peer = try listener.accept()
    let post = try peer.post()
    #expect(post.fields["accept"] == "text/event-stream")
    let events = String(repeating: event(result(1)), count: count)
    try peer.respond(": a comment\n\n" + events, type: "text/event-stream")
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains("was not open") } == (count > 1), "\(lines)")
    #expect(status == (count > 1 ? 1 : 0))
  }

  @Test(arguments: [
    ("HTTP/1.1 421 Misdirected\r\nContent-Length: 2\r\n\r\n{}", "refuses a POST with status 421"),
    ("{}\n\r\n", "sent no HTTP"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot JSON!", "sent no JSON-RPC"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "closed by the peer"),
    ("", "closed by the peer"),
  ])
  func `what is no answer at all ends it`(response: String, reason: String) throws {
    let (load, listener) = try load(requests: 1)
    let peer = try listener.accept()
    _ = try peer.post()
    if response.contains("421") {
      let body = error(0, -32600).replacingOccurrences(of: "\"id\":0", with: "\"id\":null")
      try peer.respond(body, status: 421)
    } else {
      try peer.send(bytes: Array(response.utf8))
    }
    peer.finish()
    let status = load.exitStatus()
    var errors: [String] = []
    while let line = load.errorLine() { errors.append(line) }
    #expect(status == 69 && errors.contains { $0.contains(reason) }, "\(errors)")
  }
}
