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

  @Test func `of many pipelined requests those over the bound are refused, and each is answered once`() throws
  {
    let (count, bound) = (Self.pipelinedRequests, 10_000)
    let scene = try Scene()
    let before = try scene.gateway.program.peakResidentBytes()
    var replies = [Int](repeating: 0, count: count + 1)
    var (refused, served) = (0, 0)
    let client = Exchange(scene.client, sending: Self.parts(of: count) { request($0, "m") }) { line, _ in
      let reply = ReplyHead(line)
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
  @Test(arguments: [false, true])
  func `superseding without end never makes an upstream that ignores cancel work on more than a few`(
    answersLate: Bool
  ) throws {
    let (count, mostAtOnce) = (Self.supersededRequests, 5)
    let scene = try Scene()
    let before = try scene.gateway.program.peakResidentBytes()
    var replies = [Int](repeating: 0, count: count + 1)
    var (superseded, result) = (0, 0)
    let text = { request($0, "m\($0)", key: "k", policy: "cancel") }
    let client = Exchange(scene.client, sending: Self.parts(of: count, text)) { line, _ in
      let reply = ReplyHead(line)
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
    #expect(work.mostOpen <= mostAtOnce && work.mostOpen >= 4)
    #expect(work.strayCancels == 0)
    #expect(try scene.gateway.program.peakResidentBytes() - before < Self.growthBytes)
    try scene.expectBystanderUnharmed()
  }

  /// Lines for the ids from 1 to `count`, so many at a time.
  private static func parts(of count: Int, _ line: @escaping (Int) -> String) -> () -> [UInt8]? {
    var next = 1
    return {
      guard next <= count else { return nil }
      let ids = next..<min(next + partRequests, count + 1)
      next = ids.upperBound
      return Array(ids.map { line($0) + "\n" }.joined().utf8)
    }
  }
}
