import TestSupport
import Testing

/// What `lastword load` says of a gateway that cheats over a WebSocket, and that it takes what is right in any frames.
@Suite struct LoadWebSocketFaultTests {
  private func load(
    requests: Int, policy: String = "cancel"
  ) throws -> (load: RunningProgram, listener: ListeningSocket) {
    let listener = try ListeningSocket()
    let words = [
      "load", "--to", "127.0.0.1:\(listener.port)", "--connections", "1", "--depth", "\(requests)", "--keys",
      "1", "--requests", "\(requests)", "--policy", policy, "--patience-ms", "300", "--transport", "ws",
    ]
    return (try RunningProgram(Programs.lastword, words), listener)
  }

  private func finish(_ load: RunningProgram) -> (lines: [String], status: Int32?) {
    var lines: [String] = []
    while let line = load.outputLine() { lines.append(line) }
    return (lines, load.exitStatus())
  }

  private func result(_ id: Int, n: Int? = nil, arrival: Int = 1) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":{"n":\#(n ?? id),"arrival":\#(arrival),"newest":0}}"#
  }

  @Test func `texts may come in several frames, with pings between them`() throws {
    let (load, listener) = try load(requests: 2)
    let peer = try listener.accept()
    try peer.upgrade()
    let ids = try (0..<2).map { _ in
      let (opcode, content) = try peer.heardFrame()
      #expect(opcode == 1)
      return try #require(Reply(content).id)
    }
    #expect(ids == [1, 2])
    let superseded = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32080,"message":"superseded"}}"#
    let bytes = Array(superseded.utf8)
    try peer.send(
      bytes: LineSocket.frame(1, Array(bytes[..<9]), isLast: false, mask: nil)
        + LineSocket.frame(9, Array("are you there?".utf8), mask: nil)
        + LineSocket.frame(0, Array(bytes[9...]), mask: nil))
    let pong = try peer.heardFrame()
    #expect(pong.opcode == 10 && pong.content == "are you there?")
    try peer.say(result(2))
    let (lines, status) = finish(load)
    #expect(status == 0, "\(lines)")
  }

  /// What a server that cheats answers to the requests 1 and 2 of a key.
  @Test(arguments: [
    ("wait", "came after that of 2", [(2, 2), (1, 1)]),
    ("cancelAndWait", "a stale result", [(2, 2), (1, 1)]),
    ("concurrent", "the result of another", [(1, 2), (2, 2)]),
    ("wait", "was not open", [(1, 1), (1, 1), (2, 2)]),
  ])
  func `load catches who breaks a policy, as over lines`(
    policy: String, finding: String, answers: [(Int, Int)]
  ) throws {
    let (load, listener) = try load(requests: 2, policy: policy)
    let peer = try listener.accept()
    try peer.upgrade()
    _ = try (peer.heardFrame(), peer.heardFrame())
    for (id, n) in answers { try peer.say(result(id, n: n, arrival: n)) }
    let (lines, status) = finish(load)
    #expect(lines.contains { $0.contains(finding) }, "\(lines)")
    #expect(status == 1)
  }

  @Test(arguments: ["masked", "binary", "closed", "not upgraded", "wrong key"])
  func `what is no WebSocket ends it`(fault: String) throws {
    let (load, listener) = try load(requests: 1)
    let peer = try listener.accept()
    var reason = ""
    switch fault {
    case "not upgraded":
      _ = try peer.post()
      try peer.respond("no", status: 426)
      reason = "did not upgrade to WebSocket: its status is 426"
    case "wrong key":
      try peer.upgrade(accept: "nobody's")
      reason = "Sec-WebSocket-Accept is not that of our key"
    default:
      try peer.upgrade()
      _ = try peer.heardFrame()
    }
    switch fault {
    case "masked":
      try peer.send(bytes: LineSocket.frame(1, Array(result(1).utf8)))
      reason = "a server must not mask"
    case "binary":
      try peer.send(bytes: LineSocket.frame(2, Array(result(1).utf8), mask: nil))
      reason = "only text messages"
    case "closed":
      try peer.send(bytes: LineSocket.frame(8, [0x03, 0xF0] + Array("go away".utf8), mask: nil))
      reason = "closed the WebSocket with 1008: go away"
    default: break
    }
    let status = load.exitStatus()
    var errors: [String] = []
    while let line = load.errorLine() { errors.append(line) }
    #expect(status == 69 && errors.contains { $0.contains(reason) }, "\(errors)")
  }
}
