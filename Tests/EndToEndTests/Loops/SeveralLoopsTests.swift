import Foundation
import TestSupport
import Testing

/// The real binary with several loops: as with one, wherever a client's connection came in.
@Suite struct SeveralLoopsTests {
  private static let loops = 3
  private let upstream: RunningUpstream
  private let gateway: RunningGateway
  /// So many that each loop has some.
  private let clients: [LineSocket]

  init() throws {
    upstream = try RunningUpstream()
    let gateway = try RunningGateway(
      upstream: upstream.address, environment: ["LASTWORD_LOOPS": "\(Self.loops)"])
    self.gateway = gateway
    clients = try (0..<12).map { _ in try gateway.connect() }
  }

  private func sleeping(_ id: Int, key: String, milliseconds: Int, _ task: String = "") -> String {
    request(id, "sleep", #"{"ms":\#(milliseconds),"q":"\#(id)"}"#, key: key, task: task)
  }

  private func awaitOpen(_ count: Int) throws {
    try eventually("\(count) requests are open") {
      try gateway.metrics()["lastword_requests_open"] == Double(count) ? true : nil
    }
  }

  @Test func `each loop has a thread, and requests of another's keys are answered as its own`() throws {
    // A listing may miss one while others of them come or go.
    try eventually("each loop has a thread") {
      let threads = try FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(gateway.program.identifier)/task")
      return threads.count > Self.loops ? true : nil
    }
    for (index, client) in clients.enumerated() {
      for number in 0..<8 {
        try client.send(sleeping(number, key: "k\(index)-\(number)", milliseconds: 0))
      }
      let replies = try client.replies(8)
      #expect(Set(replies.map(\.result)) == Set((0..<8).map { "\($0)" }))
    }
    // As many as were asked, each counted where it was decided.
    #expect(try gateway.metrics()["lastword_requests_admitted_total"] == 96)
    #expect(try gateway.metrics()["lastword_client_connections"] == 12)
  }

  @Test func `the newest request of a key wins, whichever loops they came to`() throws {
    for (index, client) in clients.enumerated() {
      let isLast = index == clients.count - 1
      try client.send(sleeping(1, key: "box", milliseconds: isLast ? 10 : 20_000))
      if index > 0 { #expect(try clients[index - 1].reply().code == -32080) }
      // The next one is asked once it is known where the key is.
      if !isLast { try awaitOpen(1) }
    }
    #expect(try clients[clients.count - 1].reply().code == nil)
  }

  @Test func `a group is taken back at all loops, and the result is the sum`() throws {
    for number in 1...6 {
      try clients[0].send(sleeping(number, key: "g\(number)", milliseconds: 20_000, #","group":"all""#))
    }
    try clients[0].send(#"{"jsonrpc":"2.0","id":7,"method":"lastword.cancel","params":{"group":"all"}}"#)
    let replies = try clients[0].replies(7)
    #expect(replies.filter { $0.code == -32800 }.count == 6)
    #expect(try clients[0].isInStep())
  }

  @Test func `by id and by key what another loop has is taken back`() throws {
    for number in 1...6 { try clients[1].send(sleeping(number, key: "c\(number)", milliseconds: 20_000)) }
    for number in 1...3 {
      try clients[1].send(
        #"{"jsonrpc":"2.0","id":"i\#(number)","method":"lastword.cancel","params":{"id":\#(number)}}"#)
      #expect(try clients[1].reply().code == -32800)
      #expect(try clients[1].expect().contains(#"{"cancelled":1}"#))
    }
    try awaitOpen(3)
    for number in 4...6 {
      try clients[2].send(
        #"{"jsonrpc":"2.0","id":"k\#(number)","method":"lastword.cancel","params":{"key":"c\#(number)"}}"#)
      #expect(try clients[2].expect().contains(#"{"cancelled":1}"#))
      #expect(try clients[1].reply().code == -32800)
    }
  }

  @Test func `answers wait for others that come soon, and for none that come late`() throws {
    // As long as may be said.
    let patient = try RunningGateway(
      upstream: upstream.address,
      environment: ["LASTWORD_LOOPS": "\(Self.loops)", "LASTWORD_BOUNDS_COALESCE_US": "10000"])
    for gateway in [gateway, patient] {
      let client = try gateway.connect()
      for number in 1...6 { try client.send(sleeping(number, key: "s\(number)", milliseconds: 20_000)) }
      for number in 7...30 { try client.send(sleeping(number, key: "q\(number)", milliseconds: 0)) }
      let replies = try client.replies(24)
      #expect(Set(replies.map(\.result)) == Set((7...30).map { "\($0)" }))
    }
  }

  @Test func `who goes leaves nothing running at any loop`() throws {
    let leaving = try gateway.connect()
    for number in 1...6 { try leaving.send(sleeping(number, key: "l\(number)", milliseconds: 20_000)) }
    try awaitOpen(6)
    leaving.reset()
    try awaitOpen(0)
  }

  @Test func `told to stop, it answers what every loop has, and ends`() throws {
    for (index, client) in clients.enumerated() {
      try client.send(sleeping(1, key: "d\(index)", milliseconds: 300))
    }
    try awaitOpen(clients.count)
    gateway.program.signal(SIGTERM)
    for client in clients { #expect(try client.reply().code == nil) }
    #expect(gateway.program.exitStatus() == 0)
  }
}
