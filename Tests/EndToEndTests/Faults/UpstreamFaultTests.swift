import TestSupport
import Testing

/// Reaching upstream, and talking with it, fails.
@Suite struct UpstreamFaultTests {
  private let listener: ListeningSocket
  private let scene: FaultScene
  private let upstream: LineSocket

  init() throws {
    listener = try ListeningSocket()
    scene = try FaultScene(upstream: listener.address)
    upstream = try listener.accept()
  }

  private func isSound(over upstream: LineSocket) throws -> Bool {
    try scene.isSound { client in
      try client.send(request(4711, "canary"))
      try upstream.answer(upstream.asked().id!, "sung")
      return try client.reply().result == "sung"
    }
  }

  @Test(arguments: ["EAGAIN", "EINTR", "ENOBUFS"], ["1", "1+2"])
  func `what passes by itself costs nobody an answer`(error: String, when: String) throws {
    let faults = try scene.faults("write,writev", "error=\(error):when=\(when)")
    for id in 1...50 {
      try scene.bystander.send(request(id, "m\(id)"))
      let asked = try upstream.asked()
      #expect(asked.method == "m\(id)")
      try upstream.answer(asked.id!, "\(id)")
      let reply = try scene.bystander.reply()
      #expect(reply.id == id && reply.result == "\(id)")
    }
    try faults.end()
    #expect(try faults.faultCount() > 0)
    #expect(try isSound(over: upstream))
  }

  @Test(arguments: [("write,writev", "EPIPE"), ("write,writev", "ECONNRESET"), ("read", "ECONNRESET")])
  func `a connection that is lost fails what was sent on it, and the next one serves`(
    names: String, error: String
  ) throws {
    let client = try scene.gateway.connect()
    try client.send(request(1, "held"))
    let held = try upstream.asked()
    let faults = try scene.faults(names, "error=\(error):when=1")
    // Read is the first byte of an answer; written the first of a request.
    if names == "read" {
      try upstream.answer(held.id!, "lost on its way")
    } else {
      try client.send(request(2, "next"))
    }
    let lost = try client.reply()
    #expect(lost.id == 1 && lost.code == -32084 && lost.upstream == "mayHaveCompleted", "\(lost)")
    if names != "read" {
      // Nobody can say how much of it was taken.
      let next = try client.reply()
      #expect(next.id == 2 && next.code == -32084 && next.upstream == "mayHaveCompleted", "\(next)")
    }
    try faults.end()
    #expect(try faults.faultCount() == 1)
    #expect(try upstream.receive() == nil)
    let second = try listener.accept()
    #expect(try client.isInStep())
    client.close()
    #expect(try isSound(over: second))
  }

  @Test(arguments: ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"])
  func `where there is no socket to be had it waits, and connects later`(error: String) throws {
    let faults = try scene.faults("socket", "error=\(error):when=1..3")
    upstream.close()
    let second = try listener.accept()
    let calls = try faults.end()
    #expect(calls.count == 4, "\(calls)")
    #expect(try isSound(over: second))
    let complaints = scene.logLines().filter { $0.contains("[WRN] cannot reach upstream") }
    #expect(complaints.count { $0.contains(error) } == 1, "\(complaints)")
  }
}
