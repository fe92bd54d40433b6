import TestSupport
import Testing

/// Upstreams that hang, take no notice of cancels, or are as fast as those who change their mind.
@Suite struct UpstreamTimeoutRowTests {
  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `what hangs ends at the deadline, with one cancel`(way: Way) throws {
    let scene = try UpstreamScene(way)
    // A child may take its time to begin.
    try scene.expectServed(100)
    for id in 1...5 { try scene.ask(id, "hang", key: "k\(id)", task: #","timeoutMs":100"#) }
    for reply in try scene.client.replies(5) {
      #expect(reply.code == -32083 && reply.phase == "running" && reply.upstream == "cancelSent", "\(reply)")
    }
    try scene.expectServed(101)
    // All cancels have come before that, unless another loop sent them to a child of its own.
    if RunningGateway.loops > 1 { try scene.record.wait { $0.cancels.count >= 5 } }
    let heard = try scene.record.heard()
    #expect(heard.cancels.sorted() == (1...5).compactMap { heard.id(ofMarker: $0) }.sorted())
    #expect(heard.cancels.count == 5)
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `a cancel that is ignored holds up nobody`(way: Way) throws {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "stubborn", #""ms":60000"#, key: "k", policy: "cancel")
    try scene.record.wait { $0.id(ofMarker: 1) != nil }
    try scene.ask(2, "echo", key: "k", policy: "cancel")
    let replies = try scene.client.replies(2)
    #expect(replies[0].code == -32080 && replies[0].upstream == "cancelSent")
    #expect(replies[1].code == nil)
    #expect(try scene.client.isInStep())
    let heard = try scene.record.heard()
    #expect(heard.cancels == [heard.id(ofMarker: 1)])
  }

  @Test(arguments: Way.to(UpstreamKind.connections + [.http], others: [.tcp]))
  func `when a result races the request that supersedes it, each gets exactly one reply`(way: Way)
    throws
  {
    let scene = try UpstreamScene(way)
    var random = SystemRandomNumberGenerator()
    var (won, lost) = (0, 0)
    // Two POSTs that come to two loops have no order.
    let mayOvertake = way.transport == .post && RunningGateway.loops > 1
    for round in 0..<(way.transport == .lines ? Self.races : Self.races / 4) {
      // Sometimes in the same breath, sometimes a moment later: before, with or after the result.
      let pauseMicroseconds = Int.random(in: -300...1_000, using: &random)
      if pauseMicroseconds < 0 {
        try scene.ask([2 * round, 2 * round + 1], "echo", key: "k", policy: "cancel")
      } else {
        try scene.ask(2 * round, "echo", key: "k", policy: "cancel")
        let head = ContinuousClock.now + .microseconds(pauseMicroseconds)
        while ContinuousClock.now < head {}
        try scene.ask(2 * round + 1, "echo", key: "k", policy: "cancel")
      }
      let replies = try scene.client.replies(2)
      let (older, newer) = (replies[0], replies[1])
      #expect(older.id == 2 * round && (older.code == nil || older.code == -32080), "\(older)")
      #expect(newer.id == 2 * round + 1, "\(newer)")
      #expect(newer.code == nil || mayOvertake && older.code == nil && newer.code == -32080, "\(newer)")
      if older.code == nil { won += 1 } else { lost += 1 }
    }
    #expect(won > 0 && lost > 0, "\(won) and \(lost)")
    #expect(try scene.client.isInStep())
    try scene.expectNothingRepeated()
  }

  static let races = 1_000
}
