import Foundation
import TestSupport
import Testing

/// What a gateway counted after one request of each fate, its upstream in the hands of the test.
@Suite struct MetricsTests {
  let gateway: RunningGateway
  let upstream: LineSocket
  let client: LineSocket

  init() throws {
    let listener = try ListeningSocket()
    gateway = try RunningGateway(upstream: listener.address, ["--compensate", "join=leave"])
    upstream = try listener.acceptGateway()
    client = try gateway.connect()
  }

  @Test func `every fate is counted once, and they add up`() throws {
    try deliverAndFail()
    try supersede()
    try cancelAndExpire()
    try joinAndReject()
    try abandon()
    try undo()
    try sendWhatIsNoRequest()
    let samples = try gateway.metrics()
    for (name, count) in [
      "requests_admitted_total": 12, "requests_open": 0, #"requests_ended_total{outcome="delivered"}"#: 5,
      #"requests_ended_total{outcome="failed"}"#: 1, #"requests_ended_total{outcome="superseded"}"#: 2,
      #"requests_ended_total{outcome="cancelled"}"#: 1, #"requests_ended_total{outcome="expired"}"#: 1,
      #"requests_ended_total{outcome="rejected"}"#: 1, #"requests_ended_total{outcome="abandoned"}"#: 1,
      "requests_joined_total": 1, "requests_followed_total": 0, "notifications_total": 1,
      "notifications_lost_total": 0,
      "messages_invalid_total": 1,
      "tasks_orphaned_total": 1, "upstream_cancels_sent_total": 5, "upstream_compensations_sent_total": 1,
      "upstream_compensations_failed_total": 0, "upstream_compensations_lost_total": 0,
      #"upstream_answers_dropped_total{reason="late"}"#: 4,
      #"upstream_answers_dropped_total{reason="unknown"}"#: 1, "client_connections": 1,
      "client_connections_opened_total": 2, "upstream_connections_opened_total": RunningGateway.loops,
      "task_duration_seconds_count": 5, "dropped_answer_staleness_seconds_count": 4,
      #"upstream_endpoints_connected{upstream="main"}"#: 1,
      #"upstream_requests_waiting{upstream="main"}"#: 0,
    ] {
      #expect(samples["lastword_" + name] == Double(count), "\(name)")
    }
  }

  // MARK: Fates

  private func deliverAndFail() throws {
    try client.send(request(1, "m"))
    try upstream.answer(try upstream.asked().id!, "done")
    #expect(try client.reply().result == "done")
    try client.send(request(2, "m"))
    try fail(try upstream.asked().id!)
    #expect(try client.reply().code == 7)
  }

  private func supersede() throws {
    try client.send(request(3, "a", key: "k", policy: "cancelAndWait"))
    let first = try upstream.asked()
    try client.send(request(4, "b", key: "k", policy: "cancelAndWait"))
    #expect(try client.reply().code == -32080)
    #expect(try upstream.asked().cancelled == first.id)
    try upstream.answer(first.id!, "too late")
    try upstream.answer(try upstream.asked().id!, "newest")
    #expect(try client.reply().result == "newest")
  }

  private func cancelAndExpire() throws {
    try client.send(request(5, "c", key: "c", task: #","drainMs":1"#))
    let ignored = try upstream.asked()
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}"#)
    #expect(try client.reply().code == -32800)
    #expect(try upstream.asked().cancelled == ignored.id)
    let orphans = "lastword_tasks_orphaned_total"
    let count = try eventually("an orphan is counted") {
      try gateway.metrics()[orphans].flatMap { $0 > 0 ? $0 : nil }
    }
    #expect(count == 1)
    try client.send(request(6, "e", key: "e", task: #","timeoutMs":50"#))
    let slow = try upstream.asked()
    #expect(try client.reply().code == -32083)
    #expect(try upstream.asked().cancelled == slow.id)
    try fail(slow.id!)
  }

  private func joinAndReject() throws {
    try client.send(request(7, "p", key: "p", policy: "preferPrevious"))
    let shared = try upstream.asked()
    try client.send(request(8, "p", key: "p", policy: "preferPrevious"))
    try client.send(request(9, "q", key: "p", policy: "preferPrevious"))
    #expect(try client.reply().code == -32081)
    try upstream.answer(shared.id!, "for both")
    #expect(try client.replies(2).map(\.result) == ["for both", "for both"])
  }

  private func abandon() throws {
    let other = try gateway.connect()
    try other.send(request(1, "z", key: "z"))
    let left = try upstream.asked()
    other.reset()
    #expect(try upstream.asked().cancelled == left.id)
    try fail(left.id!)
  }

  private func undo() throws {
    try client.send(request(11, "join", key: "room", policy: "cancel"))
    let first = try upstream.asked()
    try client.send(request(12, "join", key: "room", policy: "cancel"))
    #expect(try client.reply().code == -32080)
    #expect(try upstream.asked().cancelled == first.id)
    try upstream.answer(first.id!, "joined")
    let undoing = try upstream.asked()
    #expect(undoing.method == "leave")
    try upstream.answer(undoing.id!, "left")
    try upstream.answer(try upstream.asked().id!, "joined again")
    #expect(try client.reply().result == "joined again")
  }

  private func sendWhatIsNoRequest() throws {
    try client.send(#"{"jsonrpc":"2.0","method":"note"}"#)
    #expect(try upstream.asked().method == "note")
    #expect(try Reply(client.call(#"{"jsonrpc":"2.0","id":10}"#)).code == -32600)
    try upstream.answer(999_999, "what nobody asked")
    _ = try eventually("an unknown answer is counted") {
      try gateway.metrics()[#"lastword_upstream_answers_dropped_total{reason="unknown"}"#] == 1 ? true : nil
    }
  }

  private func fail(_ id: Int) throws {
    try upstream.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":7,"message":"no"}}"#)
  }

  // MARK: Lanes and events

  @Test func `lanes are listed, the fullest first`() throws {
    for id in 1...3 { try client.send(request(id, "m", key: "full", policy: "wait")) }
    try client.send(request(4, "m", key: "other", policy: "wait"))
    for _ in 0..<2 { _ = try upstream.asked() }
    let body = try gateway.get("/keys").body
    let keys = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    let lanes = try #require(keys["lanes"] as? [[String: Any]])
    #expect(keys["total"] as? Int == 2 && lanes.map { $0["key"] as? String } == ["full", "other"])
    #expect(lanes[0]["queued"] as? Int == 2 && lanes[0]["running"] as? Int == 1)
    #expect(try !gateway.get("/metrics").body.contains("full"))
  }

  @Test func `whoever follows sees a supersession as it happens`() throws {
    let events = try LiveEvents(of: gateway)
    #expect(events.status.hasPrefix("HTTP/1.1 200 "))
    #expect(try events.next()?.name == "hello" && events.next()?.name == "stats")
    try client.send(request(1, "a", key: "k", policy: "cancel"))
    let first = try upstream.asked()
    try client.send(request(2, "b", key: "k", policy: "cancel"))
    _ = try upstream.asked()
    try upstream.answer(try upstream.asked().id!, "newest")
    try fail(first.id!)
    // Of several loops each counts in steps of their number.
    let told = Self.renumbered(try events.told(8))
    #expect(told == ["a1", "s1", "a2", "x1", "c1", "s2", "d2", "z1"], "\(told)")
  }

  /// The same with the first number that comes as 1, the next as 2.
  private static func renumbered(_ told: [String]) -> [String] {
    var numbers: [Substring] = []
    return told.map { event in
      let number = event.dropFirst()
      if !numbers.contains(number) { numbers.append(number) }
      return "\(event.prefix(1))\(numbers.firstIndex(of: number)! + 1)"
    }
  }

  @Test func `streams end with the gateway, and do not keep it`() throws {
    let events = try LiveEvents(of: gateway)
    #expect(try events.next()?.name == "hello")
    #expect(gateway.stop() == 0)
    while try events.next() != nil {}
  }
}
