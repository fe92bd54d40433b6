import TestSupport
import Testing

/// The system gives no connection, for whatever reason.
@Suite struct AcceptFaultTests {
  private static let clients = 5
  /// So many attempts at most come with each connection and each fault: it, and one that finds no more.
  private static let callsPerEvent = 2

  @Test(
    arguments: ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "ECONNABORTED", "EPROTO", "EINTR"],
    ["1", "1..3", "2+2"])
  func `it goes on, does not spin, and serves those who come`(error: String, when: String) throws {
    let scene = try FaultScene()
    let begun = ContinuousClock.now
    let faults = try scene.faults("accept4", "error=\(error):when=\(when)")
    for _ in 0..<Self.clients {
      #expect(try scene.gateway.connect().isInStep() && scene.bystander.isInStep())
    }
    let calls = try faults.end()
    let failed = calls.count { $0.hasSuffix("(INJECTED)") }
    #expect(failed > 0)
    #expect(calls.count <= Self.callsPerEvent * (Self.clients + failed), "\(calls)")
    #expect(try scene.isSound())
    let complaints = scene.logLines().filter { $0.contains("[WRN] cannot accept: ") }
    #expect(complaints.allSatisfy { $0.contains(error) })
    let isWorthAWord = !["ECONNABORTED", "EINTR"].contains(error)
    #expect(complaints.isEmpty != isWorthAWord)
    // It says so once in ten seconds.
    #expect(complaints.count <= 1 + Int((ContinuousClock.now - begun) / .seconds(10)))
  }

  @Test(arguments: ["EMFILE", "ENFILE"])
  func `as long as nothing is to be had it waits between attempts, and serves those who are there`(
    error: String
  ) throws {
    let scene = try FaultScene()
    let begun = ContinuousClock.now
    let faults = try scene.faults("accept4", "error=\(error):when=1+1")
    let client = try scene.gateway.connect()
    try client.send(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#)
    try expectEventually("it tries again") { try faults.calls().count >= 5 }
    for _ in 0..<100 { #expect(try scene.bystander.isInStep()) }
    let calls = try faults.end()
    // At most each 100 ms, as the loop's clock counts them.
    #expect(calls.count <= 2 + Int((ContinuousClock.now - begun) / .milliseconds(90)), "\(calls.count)")
    #expect(try client.expect() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    client.close()
    #expect(try scene.isSound())
    #expect(scene.logLines().contains { $0.contains("[WRN] cannot accept: \(error)") })
  }

  /// The built-in handler sleeps by libdispatch, which traps when it finds no descriptor.
  @Test(arguments: [32, 64, 256])
  func `when as many connect as can, whoever is there is served, and the others once there is room`(
    descriptors: Int
  ) throws {
    // Each loop has some of its own.
    let descriptors = descriptors + 20 * (RunningGateway.loops - 1)
    let gateway = try RunningGateway(descriptorLimit: descriptors)
    let first = try gateway.connect()
    _ = try first.isInStep()
    let crowd = try (0..<descriptors).map { _ in try gateway.connect() }
    for (id, work) in [#"{"ms":1}"#, #"{"ms":1200}"#, #"{"ms":1}"#].enumerated() {
      let answer = #"{"jsonrpc":"2.0","id":\#(id),"result":\#(work)}"#
      #expect(try first.call(request(id, "sleep", work)) == answer)
    }
    for client in crowd { client.close() }
    try expectEventually("there is room again") { try isServed(by: gateway) }
    #expect(gateway.stop() == 0)
  }

  /// A busy gateway may meet a new connection before it has seen that others are closed: it says so and hangs up.
  private func isServed(by gateway: RunningGateway) throws -> Bool {
    let answer = try gateway.connect().call(request(7, "echo", "[7]"))
    if answer == #"{"jsonrpc":"2.0","id":7,"result":[7]}"# { return true }
    #expect(answer.contains(#""code":-32082,"message":"too many connections""#))
    return false
  }
}
