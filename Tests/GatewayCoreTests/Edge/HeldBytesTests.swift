import GatewayCore
import JSONRPC
import Testing

/// What is held for all clients together.
@Suite struct HeldBytesTests {
  /// - Parameter clientBytes: what may be held for clients, in thirds; 0: no bound.
  private func bench(_ clientBytes: Int, _ change: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.memoryBytes = clientBytes / 3 * 4
    change(&configuration)
    return Bench(configuration)
  }

  private func text(_ byteCount: Int) -> String { "\"" + String(repeating: "x", count: byteCount) + "\"" }

  /// Has a request of each client answered with so many bytes that they do not read.
  private func answer(_ clients: [ClientID], _ byteCount: Int, _ bench: inout Bench) {
    for client in clients {
      bench.send(line("1"), from: client)
      let id = bench.asked().last.map(Self.id) ?? ""
      bench.answer(result(id, text(byteCount)) + "\n")
      bench.core.flush(into: &bench.sink)
    }
  }

  private static func id(of request: String) -> String {
    String(request.split(separator: #""id":"#)[1].prefix { $0.isNumber })
  }

  @Test func `when unread output is too much in all, the client for which most is held is closed`() {
    // Blocks count as a whole: 33, 49, 17 and 49 KiB.
    var bench = bench(141_000)
    let clients = (0..<4).map { _ in bench.connect() }
    bench.sink.clientRoom = 0
    for (client, byteCount) in zip(clients, [20_000, 40_000, 10_000, 35_000]) {
      #expect(bench.sink.closed.isEmpty)
      answer([client], byteCount, &bench)
    }
    #expect(bench.sink.closed == [clients[1].slot] && bench.core.heldByteCount <= 140_000)
    #expect(bench.core.counters.clientsClosedForRoom == 1)
    bench.sink.clientRoom = nil
    for (client, byteCount) in [(0, 20_000), (2, 10_000), (3, 35_000)] {
      bench.core.clientBecameWritable(clients[client])
      #expect(bench.heard(clients[client]) == [result("1", text(byteCount))])
    }
    #expect(bench.core.heldByteCount == 0)
  }

  @Test func `messages that do not end count, and go with their client`() {
    var bench = bench(99_999)
    let clients = (0..<3).map { _ in bench.connect() }
    for client in clients { bench.send("{" + text(20_000), from: client) }
    bench.send(text(60_000), from: clients[1])
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[1].slot])
    #expect(bench.core.heldByteCount <= 100_000)
    for client in [clients[0], clients[2]] { bench.core.clientDisconnected(client) }
    #expect(bench.core.heldByteCount == 0)
  }

  @Test func `what batches have collected counts, and goes with their client`() {
    var bench = bench(99_999)
    let (client, other) = (bench.connect(), bench.connect())
    let requests = (1...5).map { line("\($0)").dropLast() }.joined(separator: ",")
    bench.send("[" + requests + "]\n", from: client)
    let asked = bench.asked().map(Self.id)
    for id in asked.dropLast() { bench.answer(result(id, text(30_000)) + "\n") }
    bench.send(line("9", "lastword.ping"), from: other)
    #expect(bench.heard(other) == [result("9", "null")])
    #expect(bench.sink.closed == [client.slot] && bench.core.heldByteCount < 100_000)
    bench.core.clientDisconnected(other)
    #expect(bench.core.leftovers.filter { $0.contains("bytes of batches") } == [])
  }

  @Test func `who is closed has all its batches go, and what they have collected at once`() {
    var bench = bench(99_999)
    let (client, other) = (bench.connect(), bench.connect())
    let pair = { (id: Int) in "[\(line("\(id)").dropLast()),\(line("\(id + 1)").dropLast())]\n" }
    bench.send(pair(7), from: other)
    for id in [1, 3, 5] { bench.send(pair(id), from: client) }
    let asked = bench.asked().map(Self.id)
    bench.answer(result(asked[0], text(20_000)) + "\n")
    for index in [2, 4, 6] { bench.answer(result(asked[index], text(30_000)) + "\n") }
    #expect(bench.core.heldByteCount < 30_000)
    bench.answer(result(asked[1], "1") + "\n")
    #expect(bench.heard(other) == ["[\(result("7", text(20_000))),\(result("8", "1"))]"])
    #expect(bench.sink.closed == [client.slot])
    bench.core.clientDisconnected(other)
    #expect(bench.core.leftovers.filter { $0.contains("batches") } == [])
  }

  @Test func `nobody is closed for what upstream does not take`() {
    var bench = bench(30_000) { $0.payloadBytes = 1 << 20 }
    let clients = (0..<2).map { _ in bench.connect() }
    bench.sink.upstreamRoom = 0
    let request = line("1", params: "[\(text(5_000))]")
    for client in clients { for _ in 0..<20 { bench.send(request, from: client) } }
    bench.sink.clientRoom = 0
    bench.send(line("2", "lastword.ping"), from: clients[1])
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed.isEmpty && bench.core.heldByteCount > 200_000)
  }

  @Test func `a connection that is departing goes by the same measure`() {
    var bench = bench(99_999)
    let client = bench.connect()
    bench.sink.clientRoom = 0
    bench.sink.departing = [
      DepartingConnection(number: 1, byteCount: 10_000), DepartingConnection(number: 2, byteCount: 60_000),
    ]
    answer([client], 40_000, &bench)
    #expect(bench.sink.closed.isEmpty && bench.sink.departing.map(\.number) == [1])
    bench.sink.departing.append(DepartingConnection(number: 3, byteCount: 39_000))
    bench.core.flush(into: &bench.sink)
    bench.sink.departing.append(DepartingConnection(number: 4, byteCount: 30_000))
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [client.slot] && bench.sink.departing.map(\.number) == [1, 3, 4])
  }

  @Test func `what the shell has still to send counts`() {
    var bench = bench(99_999)
    let client = bench.connect()
    bench.sink.clientRoom = 0
    answer([client], 50_000, &bench)
    #expect(bench.sink.closed.isEmpty)
    bench.sink.held[client.slot] = 60_000
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `what the shell has still to send is its client's, and goes with it`() {
    var bench = bench(99_999)
    let clients = (0..<3).map { _ in bench.connect() }
    bench.sink.clientRoom = 0
    answer([clients[0]], 20_000, &bench)
    bench.sink.held = [clients[1].slot: 60_000, clients[2].slot: 15_000]
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[1].slot] && bench.core.heldByteCount > 20_000)
    // What it had to send has been sent since.
    bench.sink.held[clients[2].slot] = nil
    bench.core.clientBecameWritable(clients[2])
    bench.sink.held[clients[0].slot] = 70_000
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[0].slot, clients[1].slot] && bench.core.heldByteCount == 0)
  }

  @Test func `no bound is none`() {
    var bench = bench(0)
    let clients = (0..<8).map { _ in bench.connect() }
    bench.sink.clientRoom = 0
    answer(clients, 1_000_000, &bench)
    #expect(bench.sink.closed.isEmpty && bench.core.heldByteCount > 8_000_000)
  }

  // MARK: Shared answers

  @Test func `an answer that many wait for is kept once`() {
    var bench = bench(1_000_000)
    let clients = (0..<4).map { _ in bench.connect() }
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    for client in clients { for id in 1...25 { bench.send(line("\(id)", task: task), from: client) } }
    bench.sink.clientRoom = 0
    let body = text(64 * 1024)
    bench.answer(result(bench.asked().last.map(Self.id) ?? "", body) + "\n")
    bench.core.flush(into: &bench.sink)
    // 6 MB, were each written out.
    #expect(bench.core.heldByteCount < 200_000 && bench.sink.closed.isEmpty)
    bench.core.clientDisconnected(clients[3])
    bench.sink.clientRoom = nil
    for client in clients.dropLast() {
      bench.core.clientBecameWritable(client)
      #expect(bench.heard(client) == (1...25).map { result("\($0)", body) })
    }
    #expect(bench.core.heldByteCount == 0)
  }

  @Test func `a shared answer is a line where there are lines, and as it came where there are none`() {
    var bench = bench(0) {
      $0.sharedAnswerBytes = 8
      $0.upstreams[0].framing = .contentLength
    }
    let (lines, bodies) = (bench.connect(), bench.connect())
    let request = String(line("1", task: #"{"key":"k","policy":"preferPrevious"}"#).dropLast())
    for _ in 0..<2 {
      bench.send(request + "\n", from: lines)
      bench.send("Content-Length: \(request.utf8.count)\r\n\r\n" + request, from: bodies)
    }
    bench.core.flush(into: &bench.sink)
    let id = Self.id(of: String(decoding: bench.sink.toUpstream, as: UTF8.self))
    let answer = result(id, "[1,\n2,\r\n3]")
    bench.answer("Content-Length: \(answer.utf8.count)\r\n\r\n" + answer)
    #expect(bench.heard(lines) == [result("1", "[1, 2,  3]"), result("1", "[1, 2,  3]")])
    let body = result("1", "[1,\n2,\r\n3]")
    let frame = "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    #expect(String(decoding: bench.sink.toClients[bodies.slot] ?? [], as: UTF8.self) == frame + frame)
  }

  // MARK: Going back

  @Test func `the memory of a burst of output goes back once it has been read`() {
    var bench = bench(0)
    let client = bench.connect()
    bench.sink.clientRoom = 0
    answer([client], 4_000_000, &bench)
    bench.timePasses(1_000)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.memoryReturns == 0 && bench.core.nextDueMilliseconds == 61_000)
    bench.sink.clientRoom = nil
    bench.core.clientBecameWritable(client)
    bench.core.flush(into: &bench.sink)
    bench.timePasses(100)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.memoryReturns == 1)
  }
}
