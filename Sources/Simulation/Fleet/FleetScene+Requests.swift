import Fleet
import GatewayCore
import JSONRPC
import TaskStore

/// Requests of a fleet's clients: each is answered once, and comes to the upstream once at most, in its client's order.
/// No client gets a result that a newer request of its key should have suppressed, whichever member stops, dies, or is
/// cut off.
extension FleetScene {
  /// A request as its client and the upstream know it.
  struct Asked {
    let client: Int
    let key: String
    let policy: String
    /// When its client sent it, and how long that waits.
    var askedAt: Int64 = 0
    var timeoutMilliseconds = Int64(FleetScene.timeoutMilliseconds)
    /// Its client has heard what became of it, or nobody is there to hear it.
    var isOver = false
    /// When it came to the upstream; nil: not yet.
    var arrival: Int?
    /// The owner of its key when it was written.
    var owner: MemberID?
    /// That one was no member any more when it came: nobody could wait for its end.
    var isLeftOver = false
    /// Something newer of its key had come there before it was answered: nobody must get that.
    var isStale = false
    /// The upstream works on it no more.
    var isDone = false
    /// When it was told to give it up; nil: it was not.
    var cancelledAt: Int64?
    var pieces = AskedPieces()
    /// By its fence, when it came to the upstream.
    var generation: UInt64?
    /// It may get another's answer.
    var sharing: Sharing?
    /// It may have to be undone.
    var undoable: Undoable?
    /// It takes a key or a group back.
    var isCancel = false
    var isNotification = false
    var isOfGroup = false
    /// It says an order, which is higher than that of anything that its client asked before.
    var isOrdered = false
    /// A request that its member gave back, because it gives the partition away, supersedes this one.
    var isSupersededElsewhere = false
    /// Its client was told that the key or group of this earlier request has been taken back: nobody must get its
    /// result.
    var isTakenBack = false

    var supersedes: Bool { ["cancel", "cancelAndWait"].contains(policy) }
  }

  struct Client {
    let member: Int
    let id: ClientID
    var isThere = true
    var unread: [UInt8] = []
    /// The highest that it has said.
    var order = 0
  }

  static let timeoutMilliseconds: UInt32 = 9_000
  static let drainMilliseconds: UInt32 = 1_000
  /// The upstream is done with whatever it works on.
  static let longestWork: Int64 = 8_000

  var configuration: GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.timeoutMilliseconds = Self.timeoutMilliseconds
    configuration.drainMilliseconds = Self.drainMilliseconds
    configuration.longest.timeoutMilliseconds = Self.timeoutMilliseconds
    configuration.fleet.handoverMilliseconds = 1_000
    configuration.upstreams[0].shape = usesExchanges ? .exchanges : .connection
    configuration.upstreams[0].cancel = usesExchanges ? .abort : .lsp
    configuration.upstreams[0].passesFence = passesFences
    configuration.store.compensationMilliseconds = Self.undoingMilliseconds
    configuration.routes = Sharing.routes + [Self.undoableRoute]
    // Tables shrink whenever there is nothing to do for a moment.
    configuration.keptSlots = 2
    configuration.memoryMilliseconds = 50
    return configuration
  }

  static let longestSlice: Int64 = 100

  private static let policies = [
    "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
  ]

  /// Of which several policies ask.
  private static let mixedKey = "mixed"

  // MARK: Clients

  mutating func connect(to member: Int) {
    guard members[member].state == .running, clients.count(where: \.isThere) < 6,
      let id = members[member].edge.core.clientConnected(listener: 0)
    else { return }
    clients.append(Client(member: member, id: id))
  }

  mutating func disconnect() {
    guard let client = presentClient() else { return }
    tell("client \(client) goes")
    leave(client: client)
    members[clients[client].member].edge.core.clientDisconnected(clients[client].id)
  }

  private mutating func leave(client: Int) {
    clients[client].isThere = false
    for index in asked.indices where asked[index].client == client { asked[index].isOver = true }
  }

  /// Its process is gone.
  mutating func leaveClients(of member: Int) {
    for client in clients.indices where clients[client].member == member && clients[client].isThere {
      leave(client: client)
    }
  }

  private var presentClients: [Int] {
    clients.indices.filter { clients[$0].isThere && members[clients[$0].member].state == .running }
  }

  private mutating func presentClient() -> Int? {
    let there = presentClients
    return there.isEmpty ? nil : random.pick(there)
  }

  mutating func ask() {
    guard let client = presentClient() else { return }
    var policy = random.pick(Self.policies)
    var key = "\(policy)-\(random.oneIn(4) ? 1 : 0)"
    if apart.oneIn(8) {
      key = Self.mixedKey
      policy = apart.pick(["cancel", "cancelAndWait", "wait"])
    }
    let number = asked.count
    let isNotification = apart.oneIn(10)
    let takesPieces = apart.oneIn(2)
    let sharing = drawSharing()
    var method = "m"
    if let sharing { (key, method, policy) = (sharing.key, sharing.method, shared.pick(sharing.policies)) }
    let undoable = drawUndoable()
    let mayBeUndone = undoable != nil && sharing == nil && !isNotification
    if mayBeUndone, let undoable {
      (key, method, policy) = (Self.undoableKey, undoable.method, undoable.policy)
    }
    asked.append(Asked(client: client, key: key, policy: policy, isOver: isNotification))
    asked[number].isNotification = isNotification
    asked[number].undoable = mayBeUndone ? Undoable() : nil
    asked[number].pieces.areTaken = takesPieces && sharing == nil
    asked[number].sharing = sharing
    let id = isNotification ? "" : #""id":\#(number),"#
    asked[number].isOfGroup = apart.oneIn(4)
    let group = asked[number].isOfGroup ? #","group":"g""# : ""
    let stream = asked[number].pieces.areTaken ? #","stream":true"# : ""
    let order = sharing == nil && !mayBeUndone ? drawOrder(of: number, from: client) : ""
    let times = drawTimes(policy: policy)
    (asked[number].askedAt, asked[number].timeoutMilliseconds) = (now, times.timeoutMilliseconds)
    let task = #""key":"\#(key)","policy":"\#(policy)"\#(group)\#(stream)\#(order)\#(times.text)"#
    say(
      #"{"jsonrpc":"2.0",\#(id)"method":"\#(method)","params":[\#(number)],"task":{\#(task)}}"#, from: client)
  }

  /// Clients of several members have the same number there, and their orders have nothing to do with each other.
  private mutating func drawOrder(of number: Int, from client: Int) -> String {
    guard ordered.oneIn(4) else { return "" }
    clients[client].order += ordered.pick([1, 1_000])
    asked[number].isOrdered = true
    return #","order":\#(clients[client].order)"#
  }

  private mutating func say(_ text: String, from client: Int) {
    tell("client \(client) of member \(clients[client].member) says \(text)")
    members[clients[client].member].edge.say(text + "\n", from: clients[client].id)
  }

  /// A client takes back all that there is of a key, or what it has of a group.
  mutating func takeBackSeveral() {
    let there = presentClients
    guard !there.isEmpty else { return }
    let client = apart.pick(there)
    var key = apart.oneIn(3) ? nil : apart.pick(Self.policies.map { "\($0)-0" } + [Self.mixedKey])
    if let sharing = drawSharing() { key = sharing.key }
    if drawUndoable() != nil { key = Self.undoableKey }
    let params = key.map { #"{"key":"\#($0)"}"# } ?? #"{"group":"g"}"#
    let number = asked.count
    asked.append(Asked(client: client, key: key ?? "", policy: "", askedAt: now, isCancel: true))
    say(
      #"{"jsonrpc":"2.0","id":\#(number),"method":"lastword.cancel","params":\#(params)}"#, from: client)
  }

  mutating func takeBack() {
    guard let client = presentClient() else { return }
    let own = asked.indices.filter { asked[$0].client == client && !asked[$0].isOver }
    guard !own.isEmpty else { return }
    let number = random.pick(own)
    say(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(number)}}"#, from: client)
  }

  // MARK: Upstream

  /// The upstream answers something that a member has asked it, be it wanted or not.
  mutating func answer(to member: Int, place: Int) {
    let (id, number, _) = members[member].working.remove(at: place)
    tell("upstream answers request \(number) to member \(member)")
    asked[number].isDone = true
    asked[number].isStale = isOutdated(number) || asked[number].isSupersededElsewhere
    asked[number].pieces.end()
    let isUndoable = asked[number].undoable != nil
    let isLost = usesExchanges && undoing.oneIn(10)
    let answer = isUndoable ? answer(toUndoable: number, isLost: isLost) : #""result":[\#(number)]"#
    let outcome = isLost ? Self.loss : answer
    guard members[member].state != .gone else { return }
    members[member].unheard.append(#"{"jsonrpc":"2.0","id":\#(id),\#(outcome)}"# + "\n")
  }

  /// In the place of an answer: its exchange has ended without one.
  private static let loss = #""lost":true"#

  func isOutdated(_ number: Int) -> Bool {
    guard let arrival = asked[number].arrival else { return false }
    return asked.contains {
      $0.key == asked[number].key && ($0.arrival ?? 0) > arrival
        && $0.supersedes
    }
  }

  mutating func upstreamWorks() {
    for member in members.indices {
      while let place = members[member].working.firstIndex(where: { $0.until <= now }) {
        answer(to: member, place: place)
      }
    }
  }

  private mutating func hearUpstream(of member: Int) {
    let owner = members[member].owner
    var lines = owner.sink.toUpstream.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    owner.sink.toUpstream = []
    // Exchanges have no order among themselves: what ends frees its place for what begins.
    if usesExchanges { lines = lines.filter(Self.isCancel) + lines.filter { !Self.isCancel($0) } }
    for line in lines { write(line, of: member) }
  }

  mutating func hearUpstream(_ written: Written, of member: Int) {
    let line = written.line
    tell("upstream hears from member \(member) \(line)")
    guard !noteCancelled(written, of: member), !hearUndoing(written, of: member) else { return }
    guard let number = Int(line.digits(behind: #""params":["#)) else {
      return complain("upstream heard \(line)")
    }
    // What was refused has a generation, and no arrival.
    guard asked[number].arrival == nil, asked[number].generation == nil else {
      return complain("request \(number) came to upstream twice")
    }
    let id = line.digits(behind: #""id":"#)
    guard !isRefused(number, line) else { return refuse(number, id, to: member) }
    arrivals += 1
    asked[number].arrival = arrivals
    asked[number].owner = written.by
    asked[number].isLeftOver = !engine.knows(written.by)
    noteArrival(ofUndoable: number, written)
    servedCount += 1
    if usesExchanges { exchangeCount += 1 }
    if clients[asked[number].client].member != member { forwardedCount += 1 }
    checkOrder(of: number)
    checkExclusion(number)
    guard !id.isEmpty else { return asked[number].isDone = true }
    let time = random.pick([Int64(random.below(300)), Int64(random.below(300)), 2_900, Self.longestWork])
    members[member].working.append((id, number, now + time))
  }

  /// A request at the upstream is cancelled: its member waits for it no longer than its drain, from the cancel on.
  /// - Returns: whether the line is a cancel.
  mutating func noteCancelled(_ written: Written, of member: Int) -> Bool {
    guard Self.isCancel(written.line) else { return false }
    let id = written.line.digits(behind: #"{"id":"#)
    if let place = members[member].working.firstIndex(where: { $0.id == id }) {
      asked[members[member].working[place].request].cancelledAt = written.at
    }
    return true
  }

  private static func isCancel(_ line: String) -> Bool { line.contains(#""method":"$/cancelRequest""#) }

  /// Its fence says that it comes too late: nobody waits for what becomes of it any more.
  mutating func refuse(_ number: Int, _ id: String, to member: Int) {
    asked[number].isDone = true
    guard !id.isEmpty, members[member].state != .gone else { return }
    members[member].unheard.append(
      #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1,"message":"fenced"}}"# + "\n")
  }

  /// One client's requests for one key start in order; nothing waits for a notification that comes back.
  private mutating func checkOrder(of number: Int) {
    guard !asked[number].isNotification else { return }
    let later = asked.indices.first {
      $0 > number && asked[$0].client == asked[number].client && asked[$0].key == asked[number].key
        && asked[$0].arrival != nil
    }
    if let later { complain("request \(number) came to upstream behind \(later) of the same client and key") }
  }

  /// Of some policies one request at most is worked on at a time.
  private mutating func checkExclusion(_ number: Int) {
    guard asked[number].undoable == nil else { return checkExclusion(ofUndoable: number) }
    let policy = asked[number].policy
    guard ["wait", "cancelAndWait", "keepLatest", "preferPrevious"].contains(policy),
      asked[number].key != Self.mixedKey, asked[number].sharing != .follows
    else { return }
    // A cancelled request may drain; `wait` does not wait for that, and an aborted exchange has ended. Another turn's
    // clock may be behind this one's.
    let drains = policy != "wait" && !usesExchanges
    let drain = drains ? least(Int64(Self.drainMilliseconds)) - Self.longestSlice : 0
    let now = now
    let excludes: (Asked) -> Bool = { $0.cancelledAt.map { now < $0 + drain } ?? true }
    let others = asked.indices.filter {
      $0 != number && asked[$0].key == asked[number].key && asked[$0].arrival != nil && !asked[$0].isDone
        && !asked[$0].isLeftOver && excludes(asked[$0])
    }
    if !others.isEmpty {
      complain("requests \(others) are worked on beside \(number) of \(asked[number].key)")
    }
  }

  private mutating func checkExclusion(ofUndoable number: Int) {
    let others = asked.indices.filter { $0 != number && !asked[$0].isLeftOver && holdsUp(undoable: $0) }
    guard asked[number].undoable?.arrivedAt != nil, !others.isEmpty else { return }
    complain("request \(number) is worked on before \(others) have ended, or are undone")
  }

  // MARK: Replies

  private mutating func hearClients(of member: Int) {
    let edge = members[member].edge
    for slot in edge.sink.toClients.keys.sorted() {
      let bytes = edge.sink.toClients.removeValue(forKey: slot) ?? []
      guard
        let client = clients.indices.last(where: {
          clients[$0].member == member && clients[$0].id.slot == slot && clients[$0].isThere
        })
      else { continue }
      clients[client].unread += bytes
      var lines = clients[client].unread.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      clients[client].unread = Array(lines.removeLast())
      for line in lines { hearReply(String(decoding: line, as: UTF8.self), of: client) }
    }
    for slot in edge.sink.closed {
      if clients.contains(where: { $0.member == member && $0.id.slot == slot && $0.isThere }) {
        complain("a client of member \(member) was closed that had done nothing: slot \(slot)")
      }
    }
    edge.sink.closed = []
    if !edge.sink.toUpstream.isEmpty { complain("a request with a key stayed at its client's loop") }
  }

  private mutating func hearReply(_ line: String, of client: Int) {
    tell("client \(client) hears \(line)")
    if line.contains(#""method":"lastword.piece""#) { return hearPiece(line, of: client) }
    guard let number = Int(line.digits(behind: #""id":"#)), asked.indices.contains(number) else {
      return complain("a client heard \(line)")
    }
    guard asked[number].client == client else {
      return complain("request \(number) was answered to another client")
    }
    guard !asked[number].isOver else { return complain("request \(number) was answered twice") }
    asked[number].isOver = true
    if let late = lateness(of: number) { complain(late) }
    guard !asked[number].isCancel else { return hearCancelled(number, line) }
    checkPieces(of: number, line)
    noteReply(toUndoable: number, line)
    guard !line.contains(#""error":"#) else {
      if !spends, let newer = UInt64(line.digits(behind: #""supersededBy":"#)),
        let own = UInt64(line.digits(behind: #""generation":"#)), newer <= own
      {
        complain("request \(number) was superseded by what is not newer: \(line)")
      }
      if asked[number].isOrdered, line.contains(#""supersededBy":"#), !line.contains(#""generation":"#) {
        complain("request \(number) was overtaken, and its client has asked nothing newer: \(line)")
      }
      if line.contains("fenced") { complain("request \(number) was refused by its fence and is waited for") }
      if line.contains(#""notSent""#), asked[number].arrival != nil {
        complain("upstream has request \(number), which its client is told it has not: \(line)")
      }
      return
    }
    guard let source = Int(line.digits(behind: #""result":["#)), mayShare(number, source) else {
      return complain("request \(number) got another's result: \(line)")
    }
    if asked[source].isStale { complain("the stale result of request \(source) was delivered") }
    if asked[number].isTakenBack { complain("request \(number) has a result, and was taken back") }
    checkTakeover(of: source)
    if number != source { sharedAnswers.note(asked[number].sharing) }
    deliveredCount += 1
  }

  /// Once a client has taken back a key or a group, its earlier requests for that have no result any more.
  private mutating func hearCancelled(_ number: Int, _ line: String) {
    guard !line.contains(#""error":"#) else { return }
    let (client, key) = (asked[number].client, asked[number].key)
    for index in asked.indices[..<number] where asked[index].client == client {
      if key.isEmpty ? asked[index].isOfGroup : asked[index].key == key { asked[index].isTakenBack = true }
    }
  }

  /// No client hears an owner that was declared dead once another member acts for the key. An owner that left in order
  /// answered before it lost the key; such a reply may still be on its way.
  mutating func checkTakeover(of number: Int) {
    guard let owner = asked[number].owner, let arrival = asked[number].arrival, wasDeclaredDead(owner) else {
      return
    }
    let newer = asked.indices.first {
      asked[$0].key == asked[number].key && asked[$0].owner != owner && (asked[$0].arrival ?? 0) > arrival
    }
    if let newer {
      complain(
        "a dead member's result of request \(number) was delivered when \(newer) had been taken by another")
    }
  }

  mutating func checkRequests() {
    for (number, asked) in asked.enumerated() where !asked.isOver {
      complain("request \(number) of \(asked.key) was never answered")
    }
    checkUndone()
    for member in members.indices where members[member].state == .running {
      if members[member].edge.core.parkedRequestCount > 0 {
        complain("member \(member) has something wait for ever")
      }
    }
  }

  // MARK: One member's loops

  /// A member's loops hear what has come, and send what follows from it.
  mutating func runLoops(of member: Int) {
    let (edge, owner) = (members[member].edge, members[member].owner)
    edge.core.timeAdvanced(to: loopTime(of: member))
    hearLinks(of: member)
    if random.oneIn(2) { endEdgeTurn(of: member) }
    // Without a permit that loop stands still: it hears nothing, and no time passes for it.
    if mayAct(member) { runOwner(owner, of: member) }
    if !hasFaults || !random.oneIn(3) { hearOwn(member) }
    endEdgeTurn(of: member)
  }

  /// What the member's own loop with the partitions has said.
  private mutating func hearOwn(_ member: Int) {
    let time = hearingTime(of: member)
    while let batch = members[member].toEdge.take(at: time) {
      checkHeard(members[member].membership.id, by: member)
      members[member].edge.hear(batch, from: 1)
    }
  }

  /// Where it was stopped its loop with clients was about to hear what had been said.
  mutating func goOnHearing(_ member: Int) {
    hearOwn(member)
    hearOwners(of: member)
    endEdgeTurn(of: member)
  }

  private mutating func runOwner(_ owner: SimulatedLoop, of member: Int) {
    if members[member].isHeldInTurn { endOwnerTurn(of: member) }
    owner.core.timeAdvanced(to: loopTime(of: member))
    takeTold(member)
    endIncoming(of: member)
    hearAsking(of: member)
    for batch in members[member].toOwner { owner.hear(batch, from: 0, isLate: isLate()) }
    members[member].toOwner = []
    while owner.core.isBehind, !hasFaults || late.oneIn(2) { owner.core.goOn() }
    for text in members[member].unheard {
      if usesExchanges, let id = UInt64(text.digits(behind: #""id":"#)) {
        owner.answer(text.contains(Self.loss) ? nil : text, inExchange: id)
      } else {
        owner.answer(text)
      }
    }
    members[member].unheard = []
    members[member].isHeldInTurn = isPermitOver(of: member)
    if !members[member].isHeldInTurn { endOwnerTurn(of: member) }
  }

  /// Whether a member's permit ends before its turn does, in which it may have heard that nobody waits any more.
  private mutating func isPermitOver(of member: Int) -> Bool {
    let until = members[member].membership.actsUntil
    guard hasFaults, control != .withoutPermit, until - clock(of: member) <= Self.sliceMilliseconds,
      gated.oneIn(2)
    else { return false }
    tell("the permit of member \(member) ends in its turn")
    faults.count(.permitEndsInTurn)
    if gated.oneIn(2), let place = members[member].incoming.keys.sorted().first,
      let (asking, link) = incoming(place, of: member)
    {
      breakLink(link, of: asking)
      endAtOwner(place, of: member)
    }
    return true
  }

  /// Whether a loop has no time for all that it is asked.
  mutating func isLate() -> Bool { hasFaults && late.oneIn(6) }

  private mutating func takeTold(_ member: Int) {
    for body in members[member].told { body(members[member].owner) }
    members[member].told = []
  }

  func mayAct(_ member: Int) -> Bool {
    control == .withoutPermit || clock(of: member) < members[member].membership.actsUntil
  }

  /// The gate: nothing that has been decided leaves the loop if the member may not act any more.
  mutating func endOwnerTurn(of member: Int) {
    heed(member)
    guard mayAct(member) else { return }
    let owner = members[member].owner
    if members[member].isHeldInTurn {
      members[member].isHeldInTurn = false
      owner.core.stoodStill(until: loopTime(of: member))
      owner.core.timeAdvanced(to: loopTime(of: member))
    }
    takeTold(member)
    for (place, batch) in owner.endTurn(of: LoopPlace.mostInFleet, holdsBack: false) {
      noteGivenBack(batch, by: member)
      if place == 0 {
        members[member].toEdge.add(batch)
      } else if let (asking, link) = incoming(place, of: member) {
        let time = arrival(between: member, asking)
        members[asking].links[link]?.say(.batch(batch), toEdgeAt: time)
      }
    }
    hearUpstream(of: member)
    renewSpent(of: member)
    for (partition, isExclusive) in owner.core.takeDrained() {
      members[member].gaveAwayAt = now
      members[member].left[partition] = members[member].owned[partition]
      members[member].membership.drained(partition, isExclusive: isExclusive)
    }
    members[member].toEdge.extend(until: members[member].membership.actsUntil)
  }

  /// A member that gives a partition away supersedes there what each request that it gives back will supersede, as long
  /// as it has generations left.
  private mutating func noteGivenBack(_ batch: PeerBatch, by member: Int) {
    for (number, partition, epoch) in Self.givenBack(batch)
    where members[member].draining[partition] == epoch && members[member].spent[partition] != epoch
      && asked[number].supersedes && asked[number].sharing == nil && !asked[number].isOrdered
    {
      let owner = members[member].membership.id
      for index in asked.indices
      where asked[index].key == asked[number].key && asked[index].owner == owner && !asked[index].isDone {
        asked[index].isSupersededElsewhere = true
      }
    }
  }

  /// The requests that come back with a batch, with their partitions and epochs.
  private static func givenBack(_ batch: PeerBatch) -> [(number: Int, partition: Int, epoch: UInt32)] {
    batch.moved.compactMap { params, claim in
      // Else it takes something back.
      Int(params.digits(behind: "[")).map { ($0, Int(claim.partition), claim.epoch) }
    }
  }

  mutating func endEdgeTurn(of member: Int) {
    let edge = members[member].edge
    for (place, batch) in edge.endTurn(of: LoopPlace.mostInFleet, holdsBack: false) {
      if place == 1 {
        members[member].toOwner.append(batch)
      } else if let link = members[member].links[place] {
        let time = arrival(between: member, link.owner)
        members[member].links[place]?.say(.batch(batch), toOwnerAt: time)
      }
    }
    hearClients(of: member)
  }
}
