import TestSupport
import Testing

/// Reading from clients, and writing to them, fails.
@Suite struct ClientFaultTests {
  private static let writing = "write,writev"

  private func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.ping"}"# }
  private func pong(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":null}"# }

  @Test(
    arguments: [
      (writing, "EAGAIN"), (writing, "EINTR"), (writing, "ENOBUFS"), ("read", "EINTR"), ("read", "EAGAIN"),
    ], ["1", "1+2", "2..9"])
  func `what passes by itself costs nobody an answer`(call: (names: String, error: String), when: String)
    throws
  {
    let scene = try FaultScene()
    let client = try scene.gateway.connect()
    #expect(try client.isInStep())
    let faults = try scene.faults(call.names, "error=\(call.error):when=\(when)")
    for round in 0..<20 {
      let ids = round * 100..<round * 100 + 100
      try client.send(ids.map(ping).joined(separator: "\n"))
      #expect(try scene.bystander.isInStep())
      for id in ids { #expect(try client.expect() == pong(id)) }
    }
    let padding = String(repeating: "x", count: 1_000_000)
    let reply = try client.call(request(1, "echo", "[\"\(padding)\"]"))
    #expect(reply == #"{"jsonrpc":"2.0","id":1,"result":["\#(padding)"]}"#)
    #expect(try client.isInStep())
    try faults.end()
    #expect(try faults.faultCount() > 0)
    client.close()
    #expect(try scene.isSound())
  }

  @Test(arguments: [
    (writing, "EPIPE"), (writing, "ECONNRESET"), (writing, "ETIMEDOUT"), ("read", "ECONNRESET"),
    ("read", "ETIMEDOUT"), ("read", "EIO"),
  ])
  func `what ends a connection ends that one, its requests, and no other`(names: String, error: String) throws
  {
    let scene = try FaultScene()
    try scene.bystander.send(request(1, "sleep", #"{"ms":60000}"#, key: "held"))
    let victim = try scene.gateway.connect()
    try victim.send(request(2, "sleep", #"{"ms":60000}"#, key: "lost"))
    #expect(try victim.isInStep() && scene.bystander.isInStep())
    let faults = try scene.faults(names, "error=\(error):when=1")
    try victim.send(ping(3))
    #expect(try victim.receive() == nil)
    #expect(try scene.bystander.isInStep())
    try faults.end()
    #expect(try faults.faultCount() == 1)
    // Until upstream has ended it, it drains.
    try expectEventually("what was lost has ended") { try scene.count(ofKey: "lost") == 0 }
    #expect(try scene.count(ofKey: "held") == 1)
    try scene.bystander.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    #expect(try scene.bystander.reply().code == -32800)
    #expect(try scene.isSound())
  }

  /// strace says that so many bytes were taken, and none are: what follows must be the rest, once.
  @Test(arguments: [1, 5, 40])
  func `where the kernel takes less than was offered, the rest follows, once`(count: Int) throws {
    let scene = try FaultScene()
    let client = try scene.gateway.connect()
    #expect(try client.isInStep())
    let faults = try scene.faults(Self.writing, "retval=\(count):when=1")
    try client.send((1...3).map(ping).joined(separator: "\n"))
    let all = (1...3).map { pong($0) + "\n" }.joined().dropFirst(count)
    for line in all.split(separator: "\n") { #expect(try client.expect() == line) }
    #expect(try client.isInStep())
    try faults.end()
    #expect(try faults.faultCount() == 1)
    client.close()
    #expect(try scene.isSound())
  }

  /// strace fails the call instead of making it, so that the descriptor stays, as no kernel would have it.
  @Test func `closing that is interrupted is not tried again`() throws {
    let scene = try FaultScene()
    let clients = try (0..<3).map { _ in try scene.gateway.connect() }
    for client in clients { #expect(try client.isInStep()) }
    let faults = try scene.faults("close", "error=EINTR:when=1..3")
    for client in clients { client.close() }
    try expectEventually("all have been closed") { try faults.faultCount() == 3 }
    #expect(try scene.bystander.isInStep())
    #expect(try faults.end().count == 3)
    #expect(try scene.isSound(lostDescriptors: 3))
  }
}

extension FaultScene {
  /// How many tasks a key has.
  fileprivate func count(ofKey key: String) throws -> Int? {
    let lane = try bystander.call(
      #"{"jsonrpc":"2.0","id":2,"method":"lastword.inspect","params":{"key":"\#(key)"}}"#)
    return lane.firstMatch(of: /"count":(\d+)/).flatMap { Int($0.1) }
  }
}
