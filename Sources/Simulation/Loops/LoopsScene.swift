import GatewayCore
import HotData
import JSONRPC
import TaskStore

/// The loops, what is on its way between them, and what is known of each request.
final class LoopsScene {
  /// A request as its client and the upstream know it.
  struct Asked {
    let client: Int
    let key: String
    let policy: String
    /// Its client has heard what became of it, or is gone.
    var isOver = false
    /// When it came to the upstream, and by which loop; nil: not yet.
    var arrival: Int?
    var loop: Int?
    /// The upstream was told to give it up.
    var isCancelled = false
    /// The upstream has answered.
    var isAnswered = false
    /// By then something newer of its key had come there: nobody must get that.
    var isStale = false
    /// The loop that has its key took it up at once, at this step; 0: nobody knows when it did.
    var admitted = 0
    /// It shares the answer of another of its key, if it can.
    var sharing: Sharing?
    var pieces = AskedPieces()
  }

  struct Client {
    let loop: Int
    let id: ClientID
    var isThere = true
    /// A POST: it closes once it is answered.
    var isExchange = false
    var unread: [UInt8] = []
    /// By key: the newest request that this client knows to have a result, or to have been superseded.
    var newest: [String: Int] = [:]
  }

  var random: SplitMix64
  /// For pieces alone: the rest of a history is what it is without them.
  var pieceRandom: SplitMix64
  /// The same for what is held back.
  var coalescing: SplitMix64
  /// The same for what is written before a turn's end.
  private var early: SplitMix64
  /// The same for what requests share.
  var following: SplitMix64
  /// The same for what loops have no time for.
  private var late: SplitMix64
  /// Most requests are for one key, of which several may be answered in one turn.
  private let hasFavorite: Bool
  private var isFinishing = false
  private(set) var heldBackCount = 0
  var steps = 0
  let count: Int
  let loops: [SimulatedLoop]
  /// By sender and receiver.
  var mail: [[[PeerBatch]]]
  var clients: [Client] = []
  var asked: [Asked] = []
  /// Requests at each loop's upstream: the gateway's id, and which request that is.
  var working: [[(id: String, request: Int)]]
  var arrivals = 0
  var nowMilliseconds: UInt64 = 1_000
  /// Cancels that wait for their results.
  var openCancels = 0
  var forwardedCount = 0
  /// Requests that got another's result, as they may.
  var sharedAnswers = SharedAnswers()
  private(set) var complaint: String?
  private(set) var story: [String] = []

  let piecesPerTask: Int
  static let fewPieces = 3

  static let policies = [
    "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
  ]

  init(seed: UInt64) {
    random = SplitMix64(seed: seed ^ 0x6c6f_6f70_7321)
    pieceRandom = SplitMix64(seed: seed ^ 0x7069_6563_6573)
    coalescing = SplitMix64(seed: seed ^ 0x636f_616c_6573)
    following = SplitMix64(seed: seed ^ 0x666f_6c6c_6f77)
    late = SplitMix64(seed: seed ^ 0x6c61_7465_2121)
    count = 2 + random.below(3)
    var configuration = GatewayConfiguration()
    // None of them is to end by time alone.
    configuration.timeoutMilliseconds = 3_600_000
    configuration.drainMilliseconds = 3_600_000
    configuration.longest.timeoutMilliseconds = 3_600_000
    configuration.upstreams[0].cancel = .lsp
    configuration.routes = Sharing.routes
    // Of a caller that is told many at once some are too many.
    var apart = SplitMix64(seed: seed ^ 0x756e_7265_6164)
    configuration.unreadPieceBytes = apart.pick([64 * 1024, 64 * 1024, 150])
    early = SplitMix64(seed: seed ^ 0x6561_726c_7900)
    configuration.unflushedClients = early.pick([1, 2, 256, 256])
    hasFavorite = early.oneIn(4)
    configuration.piecesPerTask = pieceRandom.pick([0, 0, 0, Self.fewPieces])
    piecesPerTask = configuration.piecesPerTask
    configuration.turnMessages = late.pick([1, 2, configuration.turnMessages])
    let (count, now) = (count, nowMilliseconds)
    loops = (0..<count).map {
      SimulatedLoop(configuration, LoopPlace(number: $0, of: count, seed: seed), nowMilliseconds: now)
    }
    mail = [[[PeerBatch]]](
      repeating: [[PeerBatch]](repeating: [], count: count), count: count)
    working = [[(id: String, request: Int)]](repeating: [], count: count)
  }

  func tell(_ text: String) { story.append(text) }

  func complain(_ text: String) { if complaint == nil { complaint = text } }

  // MARK: What happens

  func step() {
    switch random.below(20) {
    case 0: connect()
    case 1: if random.oneIn(4) { disconnect() }
    case 2: cancel()
    case 3: pass(milliseconds: random.pick([0, 1, 50]))
    case 4..<10: ask()
    case 10..<14: answer(at: random.below(count))
    default: deliver()
    }
    steps += 1
    if pieceRandom.oneIn(2) { givePiece(at: pieceRandom.below(count)) }
    let loop = random.below(count)
    endTurn(of: loop)
  }

  private func connect() {
    guard clients.count(where: { $0.isThere && !$0.isExchange }) < 8 else { return }
    let loop = random.below(count)
    guard let id = loops[loop].core.clientConnected(listener: 0) else { return complain("refused a client") }
    clients.append(Client(loop: loop, id: id))
  }

  /// A POST of one of a few sessions, to any loop.
  private func post() -> Int? {
    let loop = random.below(count)
    guard let id = loops[loop].core.clientConnected(listener: 0, as: .exchange) else { return nil }
    loops[loop].core.name(id, session: Array("s\(random.below(2))".utf8))
    loops[loop].core.takesEvents(id)
    clients.append(Client(loop: loop, id: id, isExchange: true))
    return clients.count - 1
  }

  private func present() -> Int? {
    let there = clients.indices.filter { clients[$0].isThere && !clients[$0].isExchange }
    return there.isEmpty ? nil : random.pick(there)
  }

  private func disconnect() {
    guard let client = present() else { return }
    tell("client \(client) goes")
    leave(client)
    loops[clients[client].loop].core.clientDisconnected(clients[client].id)
  }

  private func leave(_ client: Int) {
    clients[client].isThere = false
    for index in asked.indices where asked[index].client == client { asked[index].isOver = true }
  }

  private func ask() {
    guard let client = random.oneIn(4) ? post() : present() else { return }
    var policy = random.pick(Self.policies)
    // One policy for each key, so that it is known what has to become of its requests.
    var key = "\(policy)-\(random.below(3))"
    let sharing: Sharing? = pieceRandom.oneIn(8) ? .joins : following.oneIn(6) ? .follows : nil
    if let sharing { (policy, key) = share(sharing) }
    if hasFavorite, sharing == nil, early.oneIn(2) { (policy, key) = ("onAnswer", "onAnswer-0") }
    let number = asked.count
    let group = random.oneIn(3) ? #","group":"g""# : ""
    let isNotification = random.oneIn(12)
    let id = isNotification ? "" : #""id":"\#(number)","#
    let owner = asked.last { $0.key == key && $0.loop != nil }?.loop
    asked.append(Asked(client: client, key: key, policy: policy, isOver: isNotification))
    if owner == clients[client].loop { asked[number].admitted = steps }
    asked[number].sharing = sharing
    asked[number].pieces.areTaken = pieceRandom.oneIn(2)
    let stream = asked[number].pieces.areTaken ? #","stream":true"# : ""
    say(
      #"{"jsonrpc":"2.0",\#(id)"method":"\#(sharing?.method ?? "m")","params":[\#(number)],"task":{"key":"\#(key)","policy":"\#(policy)"\#(group)\#(stream)}}"#,
      from: client)
  }

  private func cancel() {
    guard let client = present() else { return }
    let own = asked.indices.filter { asked[$0].client == client && !asked[$0].isOver }
    switch random.below(4) {
    case 0: sayCancel(#"{"group":"g"}"#, from: client)
    case 1: sayCancel(#"{"key":"\#(random.pick(Self.policies))-0"}"#, from: client)
    case 2 where !own.isEmpty: sayCancel(#"{"id":"\#(random.pick(own))"}"#, from: client)
    case 3 where !own.isEmpty:
      say(
        #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\#(random.pick(own))"}}"#, from: client)
    default: break
    }
  }

  private func sayCancel(_ params: String, from client: Int) {
    openCancels += 1
    asked.append(Asked(client: client, key: "", policy: ""))
    say(
      #"{"jsonrpc":"2.0","id":"\#(asked.count - 1)","method":"lastword.cancel","params":\#(params)}"#,
      from: client)
  }

  private func say(_ text: String, from client: Int) {
    tell("client \(client) at loop \(clients[client].loop) says \(text)")
    loops[clients[client].loop].say(text + "\n", from: clients[client].id)
    flushEarly(clients[client].loop)
    if clients[client].isExchange { loops[clients[client].loop].core.clientEnded(clients[client].id) }
  }

  private func pass(milliseconds: Int) {
    nowMilliseconds += UInt64(milliseconds)
    for loop in loops { loop.core.timeAdvanced(to: nowMilliseconds) }
  }

  /// The upstream of a loop answers something, be it wanted or not.
  func answer(at loop: Int) {
    guard !working[loop].isEmpty else { return }
    let (id, number) = working[loop].remove(at: random.below(working[loop].count))
    tell("the upstream of loop \(loop) answers request \(number)")
    asked[number].isAnswered = true
    asked[number].isStale = isOutdated(number)
    asked[number].pieces.end()
    loops[loop].answer(#"{"jsonrpc":"2.0","id":\#(id),"result":[\#(number)]}"# + "\n")
    flushEarly(loop)
  }

  /// Whether something newer of its key has come to the upstream, that should have kept this one's result from everybody.
  func isOutdated(_ number: Int) -> Bool {
    guard ["cancel", "cancelAndWait"].contains(asked[number].policy), let arrival = asked[number].arrival
    else { return false }
    return asked.contains { $0.key == asked[number].key && ($0.arrival ?? 0) > arrival }
  }

  // MARK: Between loops

  private func deliver() {
    let (from, to) = (random.below(count), random.below(count))
    deliverOne(from: from, to: to)
  }

  func deliverOne(from: Int, to: Int) {
    guard !mail[from][to].isEmpty else { return }
    tell("loop \(to) hears of loop \(from)")
    loops[to].hear(mail[from][to].removeFirst(), from: from, isLate: !isFinishing && late.oneIn(4))
    flushEarly(to)
  }

  private func flushEarly(_ loop: Int) {
    loops[loop].flushEarly()
    hearUpstream(of: loop)
    hearClients(of: loop)
  }

  func endTurn(of loop: Int) {
    while loops[loop].core.isBehind, isFinishing || late.oneIn(2) { loops[loop].core.goOn() }
    let holdsBack = !isFinishing && coalescing.oneIn(2)
    for (other, batch) in loops[loop].endTurn(of: count, holdsBack: holdsBack) {
      mail[loop][other].append(batch)
    }
    if loops[loop].core.holdsBack { heldBackCount += 1 }
    hearUpstream(of: loop)
    hearClients(of: loop)
  }
}

// MARK: What comes out

extension LoopsScene {
  private func hearUpstream(of loop: Int) {
    let lines = loops[loop].sink.toUpstream.split(separator: UInt8(ascii: "\n"))
    loops[loop].sink.toUpstream = []
    for line in lines { hearUpstream(String(decoding: line, as: UTF8.self), of: loop) }
  }

  private func hearUpstream(_ line: String, of loop: Int) {
    tell("the upstream of loop \(loop) hears \(line)")
    if line.contains(#""method":"$/cancelRequest""#) {
      let id = line.digits(behind: #"{"id":"#)
      guard let place = working[loop].firstIndex(where: { $0.id == id }) else { return }
      asked[working[loop][place].request].isCancelled = true
      return
    }
    guard let number = Int(line.digits(behind: #""params":["#)) else {
      return complain("upstream heard \(line)")
    }
    guard asked[number].arrival == nil else { return complain("request \(number) came to upstream twice") }
    arrivals += 1
    asked[number].arrival = arrivals
    asked[number].pieces.arrived = steps
    asked[number].loop = loop
    if clients[asked[number].client].loop != loop { forwardedCount += 1 }
    if asked.contains(where: { $0.key == asked[number].key && ($0.loop ?? loop) != loop }) {
      complain("two loops have the key \(asked[number].key)")
    }
    checkExclusion(number)
    let id = line.digits(behind: #""id":"#)
    if !id.isEmpty { working[loop].append((id, number)) } else { asked[number].isAnswered = true }
  }

  /// Of some policies one request at most is worked on at a time.
  private func checkExclusion(_ number: Int) {
    let excludes: (Asked) -> Bool
    switch asked[number].policy {
    case "wait": excludes = { !$0.isCancelled }
    case "cancelAndWait", "keepLatest": excludes = { _ in true }
    default: return
    }
    let others = asked.indices.filter {
      $0 != number && asked[$0].key == asked[number].key && asked[$0].arrival != nil
        && !asked[$0].isAnswered && excludes(asked[$0])
    }
    if !others.isEmpty {
      complain("requests \(others) are worked on beside \(number) of \(asked[number].key)")
    }
  }

  private func hearClients(of loop: Int) {
    for slot in loops[loop].sink.toClients.keys.sorted() {
      let bytes = loops[loop].sink.toClients.removeValue(forKey: slot) ?? []
      guard
        let client = clients.indices.last(where: { clients[$0].loop == loop && clients[$0].id.slot == slot })
      else {
        complain("nobody has slot \(slot) of loop \(loop)")
        continue
      }
      clients[client].unread += bytes
      var lines = clients[client].unread.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      clients[client].unread = Array(lines.removeLast())
      for line in lines { hearReply(String(decoding: line, as: UTF8.self), of: client) }
    }
    for slot in loops[loop].sink.closed {
      let client = clients.indices.last { clients[$0].loop == loop && clients[$0].id.slot == slot }
      guard let client, clients[client].isThere else { continue }
      clients[client].isThere = false
      if !clients[client].isExchange { complain("a client was closed that had done nothing") }
      if asked.contains(where: { $0.client == client && !$0.isOver }) { complain("a POST got no reply") }
    }
    loops[loop].sink.closed = []
  }

  private func hearReply(_ line: String, of client: Int) {
    tell("client \(client) hears \(line)")
    if line.contains(#""method":"lastword.piece""#) { return hearPiece(line, of: client) }
    guard let number = Int(line.digits(behind: #""id":""#)), asked.indices.contains(number) else {
      return complain("a client heard \(line)")
    }
    guard asked[number].client == client else {
      return complain("request \(number) was answered to another client")
    }
    guard !asked[number].isOver else { return complain("request \(number) was answered twice") }
    asked[number].isOver = true
    guard !asked[number].policy.isEmpty else {
      openCancels -= 1
      return line.contains(#""cancelled":"#) ? () : complain("a cancel was answered \(line)")
    }
    checkOrder(number, line)
    guard !line.contains(#""error":"#) else { return checkPieceCount(of: number, line) }
    guard let source = Int(line.digits(behind: #""result":["#)), mayShare(number, source) else {
      return complain("request \(number) got another's result: \(line)")
    }
    checkPieces(asked[number].pieces.fault(ofResultBehind: asked[source].pieces), of: number)
    if asked[source].isStale { complain("the stale result of request \(source) was delivered") }
    if !asked[source].isAnswered { complain("request \(source) has a result that upstream never gave") }
    if number != source { sharedAnswers.note(asked[number].sharing) }
  }

  /// A client hears of its requests for one key in the order in which they were decided. Once it has a result, or heard
  /// that a request was superseded, it gets no result of an older one.
  private func checkOrder(_ number: Int, _ line: String) {
    let (key, policy) = (asked[number].key, asked[number].policy)
    let isResult = !line.contains(#""error":"#)
    // A caller that follows hears it behind the newer request's.
    if asked[number].sharing == .follows { return }
    guard ["cancel", "cancelAndWait", "onAnswer"].contains(policy), isResult || line.contains("-32080") else {
      return
    }
    let newest = clients[asked[number].client].newest[key] ?? -1
    if isResult, number < newest { complain("request \(number) got a result behind \(newest)'s reply") }
    clients[asked[number].client].newest[key] = max(number, newest)
  }

  // MARK: The end

  /// Everything comes, everything is answered; then everybody has heard what became of what they asked, and nothing is
  /// left.
  func finish() {
    isFinishing = true
    settle()
    for (number, asked) in asked.enumerated() where !asked.isOver {
      complain("request \(number) of \(asked.key) was never answered")
    }
    checkPieceOrder()
    for loop in loops where loop.core.remoteRequestCount > 0 { complain("a loop waits for another for ever") }
    checkCounters()
    for client in clients where client.isThere && !client.isExchange {
      loops[client.loop].core.clientDisconnected(client.id)
    }
    for client in clients.indices { clients[client].isThere = false }
    settle()
    for (number, loop) in loops.enumerated() {
      for name in loop.core.leftovers { complain("loop \(number) is left with \(name)") }
    }
  }

  private func settle() {
    for _ in 0..<Self.mostRounds {
      for from in 0..<count {
        for to in 0..<count { while !mail[from][to].isEmpty { deliverOne(from: from, to: to) } }
      }
      for loop in 0..<count {
        while !working[loop].isEmpty { answer(at: loop) }
        endTurn(of: loop)
      }
      if complaint != nil { return }
      if working.allSatisfy(\.isEmpty) && mail.allSatisfy({ $0.allSatisfy(\.isEmpty) }) { return }
    }
    complain("the loops have always something more to tell each other")
  }

  private static let mostRounds = 10_000

  /// Each request is counted once, where its key is.
  private func checkCounters() {
    let counters = loops.map { $0.core.counters }.reduce(GatewayCounters(), +)
    let ended = counters.outcomes.reduce(0) { $0 + $1.count }
    if counters.admitted != ended {
      complain("\(counters.admitted) requests were admitted, and \(ended) ended")
    }
  }
}
