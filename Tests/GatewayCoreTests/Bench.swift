import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Takes what the core hands out, line by line, with as much room as the test gives.
struct RecordingSink: GatewaySink {
  var toClients: [Int: [UInt8]] = [:]
  var toUpstream: [UInt8] = []
  /// What each upstream was sent, line by line.
  var requests: [(upstream: Int, line: String)] = []
  var closed: Set<Int> = []
  var paused: Set<Int> = []
  var pausedUpstreams: Set<Int> = []
  var connects = 0
  var disconnects = 0
  var connecting: [(upstream: UpstreamID, endpoint: UpstreamEndpoint)] = []
  var disconnected: [UpstreamID] = []
  var ended: [UpstreamID] = []
  var exchanges: [(exchange: Exchange, upstream: Int, message: String)] = []
  var aborted: [TaskID] = []
  var memoryReturns = 0
  /// What the shell has taken for each client, and still has.
  var held: [Int: Int] = [:]
  var departing: [DepartingConnection] = []
  /// What each of those holds who are no clients yet, the oldest first.
  var arriving: [Int] = []
  /// Bytes that each client still takes; nil: all.
  var clientRoom: Int?
  var upstreamRoom: Int?

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    unsafe take(chunks, room: &clientRoom, into: &toClients[client.slot, default: []])
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    let before = toUpstream.count
    let taken = unsafe take(chunks, room: &upstreamRoom, into: &toUpstream)
    for line in toUpstream[before...].split(separator: UInt8(ascii: "\n")) {
      requests.append((upstream.slot, String(decoding: line, as: UTF8.self)))
    }
    return taken
  }

  private func take(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, room: inout Int?, into bytes: inout [UInt8]
  ) -> Int {
    var taken = 0
    for index in chunks.indices {
      let part = unsafe chunks[index].prefix(room ?? .max)
      unsafe bytes.append(contentsOf: part)
      taken += unsafe part.count
      if let left = room { room = unsafe left - part.count }
    }
    return taken
  }

  mutating func setReading(_ isReading: Bool, from client: ClientID) {
    if isReading { paused.remove(client.slot) } else { paused.insert(client.slot) }
  }

  mutating func setReading(_ isReading: Bool, from upstream: UpstreamID) {
    if isReading { pausedUpstreams.remove(upstream.slot) } else { pausedUpstreams.insert(upstream.slot) }
  }

  mutating func close(_ client: ClientID) { closed.insert(client.slot) }
  mutating func drop(_ client: ClientID) {
    held[client.slot] = nil
    close(client)
  }

  mutating func drop(_ connection: DepartingConnection) { departing.removeAll { $0 == connection } }

  var arrivingByteCount: Int { arriving.reduce(0, +) }
  mutating func makeRoom(arrivingBytes: Int) {
    while arrivingByteCount > arrivingBytes { arriving.removeFirst() }
  }

  var heldByteCount: Int { held.values.reduce(0, +) + departing.reduce(0) { $0 + $1.byteCount } }
  func heldByteCount(of client: ClientID) -> Int { held[client.slot] ?? 0 }

  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) {
    connects += 1
    connecting.append((upstream, endpoint))
  }

  mutating func disconnect(_ upstream: UpstreamID) {
    disconnects += 1
    disconnected.append(upstream)
  }

  mutating func end(_ upstream: UpstreamID) { ended.append(upstream) }

  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    exchanges.append((exchange, upstream.slot, String(decoding: message, as: UTF8.self)))
  }

  mutating func giveBackMemory() { memoryReturns += 1 }

  mutating func abort(_ task: TaskID, over upstream: UpstreamID) { aborted.append(task) }
}

/// A core with a clock that the test moves, and an upstream that is connected from the start.
struct Bench: ~Copyable {
  static let upstream = UpstreamID(slot: 0)
  var core: GatewayCore
  var sink = RecordingSink()

  init(
    _ configuration: GatewayConfiguration = GatewayConfiguration(), seed: UInt64 = 1, connected: Bool = true,
    at place: LoopPlace = .alone
  ) {
    core = GatewayCore(configuration, seed: seed, nowMilliseconds: 1_000, at: place)
    if connected { connectUpstreams() }
  }

  mutating func connect() -> ClientID { core.clientConnected(listener: 0)! }

  /// Gives bytes to the core with the scanner's slack behind them, and has them handled, in as many turns as it takes.
  mutating func send(_ text: String, from client: ClientID) {
    sendInTurn(text, from: client)
    while core.nextInTurn != nil { core.goOn() }
  }

  /// Gives bytes to the core, and has those handled that are within their client's share of a turn.
  mutating func sendInTurn(_ text: String, from client: ClientID) {
    let bytes = Array(text.utf8)
    core.received((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: client)
  }

  mutating func answer(_ text: String, from upstream: UpstreamID = Bench.upstream) {
    let bytes = Array(text.utf8)
    core.upstreamReceived(
      (bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: upstream)
  }

  /// Answers an exchange; returns false if the answer is another request's.
  @discardableResult
  mutating func answer(_ text: String, to task: TaskID, from upstream: UpstreamID = Bench.upstream) -> Bool {
    let bytes = Array(text.utf8)
    return core.exchangeAnswered(
      task, (bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, over: upstream)
  }

  /// Has an exchange say something before its answer.
  mutating func give(_ text: String, of task: TaskID, from upstream: UpstreamID = Bench.upstream) {
    let bytes = Array(text.utf8)
    core.exchangeGave(
      task, (bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, over: upstream)
  }

  /// Has every upstream connection that the core wishes for.
  mutating func connectUpstreams() {
    core.flush(into: &sink)
    for (upstream, _) in sink.connecting { core.upstreamConnected(upstream) }
    sink.connecting = []
  }

  /// What went to each upstream connection since this was last asked: the connection's slot and the line.
  mutating func sent() -> [String] {
    core.flush(into: &sink)
    defer { sink.requests = [] }
    return sink.requests.map { "\($0.upstream): \($0.line)" }
  }

  mutating func timePasses(_ milliseconds: UInt64) {
    core.timeAdvanced(to: core.nowMilliseconds + milliseconds)
  }

  /// What a client was sent since it was last asked.
  mutating func heard(_ client: ClientID) -> [String] {
    core.flush(into: &sink)
    return Self.lines(&sink.toClients[client.slot, default: []])
  }

  /// The clients that were closed since the start.
  mutating func closed() -> Set<Int> {
    core.flush(into: &sink)
    return sink.closed
  }

  /// What the upstream was sent since it was last asked.
  mutating func asked() -> [String] {
    core.flush(into: &sink)
    return Self.lines(&sink.toUpstream)
  }

  /// The methods that upstream was asked, one after the other, each answered before the next.
  mutating func served(_ count: Int) -> [String] {
    (0..<count).map { _ in
      let asked = asked()
      #expect(asked.count == 1)
      let id = asked.first?.firstMatch(of: /"id":(\d+)/)?.1 ?? "0"
      answer(result(String(id), "0") + "\n")
      return asked.first?.firstMatch(of: /"method":"(\w+)"/).map { String($0.1) } ?? ""
    }
  }

  private static func lines(_ bytes: inout [UInt8]) -> [String] {
    var lines: [String] = []
    while let end = bytes.firstIndex(of: 0x0a) {
      lines.append(String(decoding: bytes[..<end], as: UTF8.self))
      bytes.removeSubrange(...end)
    }
    return lines
  }
}

/// A request as a line; `task` is the text of its member, if any.
func line(_ id: String, _ method: String = "m", params: String? = nil, task: String? = nil) -> String {
  let params = params.map { #","params":\#($0)"# } ?? ""
  let task = task.map { #","task":\#($0)"# } ?? ""
  return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(params)\#(task)}"# + "\n"
}

func result(_ id: String, _ value: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":\#(value)}"# }

extension Bench {
  /// One whose upstream each client connection has for itself.
  static func ofOwnUpstreams(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].isPerConnection = true
    adjust(&configuration)
    return Bench(configuration)
  }
}
