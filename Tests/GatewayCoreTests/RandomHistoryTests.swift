import GatewayCore
import TaskStore
import Testing

/// Random clients against a random upstream: whatever happens, each request gets exactly one reply.
@Suite struct RandomHistoryTests {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `every request gets exactly one reply, and in the end nothing is left`(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    history.run(steps: 400)
    history.finish()
  }
}

/// One random history, and what must hold of it.
private struct RandomHistory: ~Copyable {
  private struct Asked {
    var client: Int
    var isAnswered = false
  }

  private var bench: Bench
  private var random: SeededGenerator
  private var clients: [ClientID] = []
  private var live: Set<Int> = []
  /// By the id that the request has, unique in the whole history.
  private var requests: [Int: Asked] = [:]
  private var requestCount = 0
  /// The newest `cancel` request of each key, for the check that nothing stale is delivered.
  private var newestCancel: [Int: Int] = [:]
  private var keyOf: [Int: Int] = [:]
  private var atUpstream: [Int] = []
  private var isConnected = true

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    var configuration = GatewayConfiguration()
    configuration.store.queuePerLane = 3
    bench = Bench(configuration, seed: seed)
    for _ in 0..<4 { connect() }
  }

  private mutating func connect() {
    live.insert(clients.count)
    clients.append(bench.connect())
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps {
      step()
      listen()
    }
  }

  private mutating func step() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<9: request()
    case 9..<14: answer()
    case 14: repeatAnswer()
    case 15: cancel()
    case 16: bench.timePasses(.random(in: 1...3_000, using: &random))
    case 17: disconnect()
    case 18: losesUpstream()
    default: findsUpstream()
    }
  }

  private mutating func request() {
    guard let client = live.sorted().randomElement(using: &random) else { return connect() }
    let policies = [
      "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
    ]
    let policy = policies.randomElement(using: &random)!
    let key = Int.random(in: 0..<3, using: &random)
    requestCount += 1
    let id = requestCount
    requests[id] = Asked(client: client)
    keyOf[id] = key
    if policy == "cancel" { newestCancel[key] = id }
    bench.send(
      line(
        "\(id)", params: "[\(Int.random(in: 0..<2, using: &random))]",
        task:
          #"{"key":"\#(key)","policy":"\#(policy)","timeoutMs":\#(Int.random(in: 1...9_000, using: &random))}"#
      ),
      from: clients[client])
  }

  private mutating func answer() {
    guard isConnected, let index = atUpstream.indices.randomElement(using: &random) else { return }
    let id = atUpstream.remove(at: index)
    let isError = Int.random(in: 0..<5, using: &random) == 0
    bench.answer(
      isError
        ? #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1,"message":"e"}}"# + "\n"
        : result("\(id)", "0") + "\n")
  }

  private mutating func repeatAnswer() {
    guard isConnected else { return }
    bench.answer(result("\(Int.random(in: 0..<3_000, using: &random))", "0") + "\n")
  }

  private mutating func cancel() {
    guard requestCount > 0 else { return }
    let id = Int.random(in: 1...requestCount, using: &random)
    guard live.contains(requests[id]!.client) else { return }
    bench.send(
      #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n",
      from: clients[requests[id]!.client])
  }

  private mutating func disconnect() {
    guard live.count > 1, let client = live.sorted().randomElement(using: &random) else { return }
    listen()
    live.remove(client)
    bench.core.clientDisconnected(clients[client])
    connect()
  }

  private mutating func losesUpstream() {
    guard isConnected else { return }
    isConnected = false
    atUpstream = []
    bench.core.upstreamDisconnected(Bench.upstream)
    _ = bench.asked()
    bench.sink.toUpstream = []
  }

  private mutating func findsUpstream() {
    guard !isConnected else { return }
    isConnected = true
    bench.core.upstreamConnected(Bench.upstream)
  }

  /// Takes in what was said, and checks it.
  private mutating func listen() {
    for line in bench.asked() {
      if let match = line.firstMatch(of: /"id":(\d+),"method"/) { atUpstream.append(Int(match.1)!) }
    }
    for client in live.sorted() {
      for line in bench.heard(clients[client]) { hear(line, client) }
    }
  }

  private mutating func hear(_ line: String, _ client: Int) {
    let id = Int(line.firstMatch(of: /"id":(\d+)/)!.1)!
    #expect(requests[id]!.client == client, "a reply went to another client: \(line)")
    #expect(!requests[id]!.isAnswered, "a second reply: \(line)")
    requests[id]!.isAnswered = true
    if line.contains(#""result""#), let newest = newestCancel[keyOf[id]!] {
      #expect(newest <= id, "\(newest) had superseded this: \(line)")
    }
  }

  /// Faults stop: everything that is left must end.
  mutating func finish() {
    findsUpstream()
    for _ in 0..<100 {
      listen()
      while !atUpstream.isEmpty { answer() }
      bench.timePasses(1_000)
    }
    listen()
    let unanswered = requests.filter { !$0.value.isAnswered && live.contains($0.value.client) }
    #expect(unanswered.isEmpty)
    #expect(bench.core.taskCount == 0 && bench.core.keyCount == 0 && bench.core.liveRequestCount == 0)
    let counters = bench.core.counters
    #expect(
      counters.admitted == counters.delivered + counters.failed + counters.superseded + counters.cancelled
        + counters.expired + counters.rejected + counters.abandoned)
  }
}

/// SplitMix64, so that a failing seed replays.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
