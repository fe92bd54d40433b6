import Foundation
import TestSupport
import Testing

/// More of everything than anybody should send.
@Suite(.serialized) struct FloodRowTests {
  /// Requests that a client sends without waiting; `LASTWORD_PIPELINED=1000000` for as many as it takes.
  static let pipelinedRequests =
    ProcessInfo.processInfo.environment["LASTWORD_PIPELINED"].flatMap { Int($0) } ?? 200_000
  static let supersededRequests = 100_000
  static let partRequests = 1_000

  /// What the process may grow by, whatever comes.
  static let growthBytes = 24 * 1024 * 1024

  @Test(arguments: Transport.all(but: [.post: .oneAtATime]))
  func `of many pipelined requests those over the bound are refused, and each is answered once`(
    transport: Transport
  ) throws {
    let (count, bound) = (transport == .lines ? Self.pipelinedRequests : 20_000, 10_000)
    // An exchange with upstream is over one connection.
    let scene = try Scene(over: transport, environment: RunningGateway.oneLoop)
    let before = try scene.gateway.program.peakResidentBytes()
    var replies = [Int](repeating: 0, count: count + 1)
    var (refused, served) = (0, 0)
    let client = Self.exchange(scene, transport, count) {
      request($0, "m")
    } hearing: { reply in
      replies[reply.id] += 1
      if reply.code == -32082 { refused += 1 } else if reply.code == nil { served += 1 }
    }
    var held: [Int] = []
    let upstream = Exchange(scene.upstream) { line, _ in held.append(ReplyHead(line).id) }
    try Exchange.run([client, upstream]) { refused + held.count == count }
    #expect(held.count == bound && refused == count - bound)
    for id in held { upstream.say(#"{"jsonrpc":"2.0","id":\#(id),"result":0}"#) }
    try Exchange.run([client, upstream]) { served == bound }
    #expect(replies.dropFirst().allSatisfy { $0 == 1 })
    try scene.expectKept()
    #expect(try scene.gateway.program.peakResidentBytes() - before < Self.growthBytes)
  }

  /// The bound is `orphansPerLane`, of 4, and the newest request beside them.
  @Test(arguments: Transport.all, [false, true])
  func `superseding without end never makes an upstream that ignores cancel work on more than a few`(
    transport: Transport, answersLate: Bool
  ) throws {
    if transport == .post { return try supersedeOneByOne(answersLate: answersLate) }
    let count = transport == .lines ? Self.supersededRequests : 10_000
    // An exchange with upstream is over one connection.
    let scene = try Scene(over: transport, environment: RunningGateway.oneLoop)
    let before = try scene.gateway.program.peakResidentBytes()
    var replies = [Int](repeating: 0, count: count + 1)
    var (superseded, result) = (0, 0)
    let text = { request($0, "m\($0)", key: "k", policy: "cancel") }
    let client = Self.exchange(scene, transport, count, text) { reply in
      replies[reply.id] += 1
      if reply.code == -32080 { superseded += 1 } else if reply.code == nil { result = reply.id }
    }
    var work = UpstreamWork()
    let upstream = Exchange(scene.upstream) { line, side in
      try work.hear(line)
      if answersLate, work.open.count == 4 { side.say(work.endOldest()) }
    }
    try Exchange.run([client, upstream]) { superseded == count - 1 }
    // The newest starts when a place comes free, and wins.
    try Exchange.run([client, upstream]) {
      if result == 0, work.open.count >= 4 { upstream.say(work.endOldest()) }
      if work.newestMethod == "m\(count)", !work.open.isEmpty { upstream.say(work.endNewest()) }
      return result != 0
    }
    #expect(result == count && superseded == count - 1)
    #expect(replies.dropFirst().allSatisfy { $0 == 1 })
    #expect((4...5).contains(work.mostOpen) && work.strayCancels == 0)
    #expect(try scene.gateway.program.peakResidentBytes() - before < Self.growthBytes)
    try scene.expectBystanderUnharmed()
  }

  /// Each POST supersedes the one before, which leaves its connection to the next but one.
  private func supersedeOneByOne(answersLate: Bool) throws {
    let count = 1_000
    let scene = try Scene(over: .post)
    var work = UpstreamWork()
    func hear() throws {
      try Array(scene.upstream.expect().utf8).withUnsafeBytes { try work.hear($0) }
      if answersLate, work.open.count == 4 { try scene.upstream.send(work.endOldest()) }
    }
    for id in 1...count {
      try scene.client.send(request(id, "m\(id)", key: "k", policy: "cancel"))
      if id > 1 { try scene.expectError(-32080, id: "\(id - 1)") }
      while scene.upstream.hasNews { try hear() }
    }
    while work.newestMethod != "m\(count)" {
      if work.open.count >= 4 { try scene.upstream.send(work.endOldest()) }
      try hear()
    }
    try scene.upstream.send(work.endNewest())
    let newest = try scene.client.reply()
    #expect(newest.id == count && newest.code == nil)
    #expect((4...5).contains(work.mostOpen) && work.strayCancels == 0)
    try scene.expectBystanderUnharmed()
  }

  /// The client's side: texts for the ids from 1 to `count`, so many at a time.
  private static func exchange(
    _ scene: Scene, _ transport: Transport, _ count: Int, _ text: @escaping (Int) -> String,
    hearing hear: @escaping (ReplyHead) -> Void
  ) -> Exchange {
    var next = 1
    let client = scene.client
    let parts = { () -> [UInt8]? in
      guard next <= count else { return nil }
      let ids = next..<min(next + partRequests, count + 1)
      next = ids.upperBound
      return ids.flatMap { client.carried(Array(text($0).utf8)) }
    }
    return Exchange(scene.socket, transport == .lines ? .lines : .frames, sending: parts) { message, _ in
      hear(ReplyHead(message))
    }
  }
}
