import Fleet
import GatewayCore
import HotData

struct FleetScene {
  var random: SplitMix64
  /// For pieces, groups and notifications alone: the rest of a history is what it is without them.
  var apart: SplitMix64
  /// For what gets another's answer, in the same way.
  var shared: SplitMix64
  /// For what a network holds back, in the same way.
  var held: SplitMix64
  /// For what may have to be undone, in the same way.
  var undoing: SplitMix64
  /// For how long requests wait, in the same way.
  var timed: SplitMix64
  /// For what loops have no time for, in the same way.
  var late: SplitMix64
  /// For whose permit ends in the middle of a turn, in the same way.
  var gated: SplitMix64
  /// For whom nobody reaches, in the same way.
  var barred: SplitMix64
  /// For which members do not hear each other, in the same way, and whether there are such.
  var quiet: SplitMix64
  private let hasSilence: Bool
  var silent: [SilentPair] = []
  /// For the rates of clocks, in the same way, and whether they differ.
  var paced: SplitMix64
  let clocksDiffer: Bool
  /// For what the engine answers twice, in the same way.
  private var twice: SplitMix64
  /// For how much has been asked before, in the same way.
  var spent: SplitMix64
  let spends: Bool
  /// For the orders that clients say, in the same way.
  var ordered: SplitMix64
  /// Upstreams are asked by an exchange for each request in this history.
  let usesExchanges: Bool
  /// Upstreams get fences in this history, and what is written to them may come late.
  let passesFences: Bool
  var fences: Fences
  var engine = SimulatedEngine()
  var members: [SimulatedMember] = []
  private let partitions: Int
  private let rendezvousSeed: UInt64
  var now: Int64 = 1_000_000
  private var engineAwayUntil: Int64 = 0
  var hasFaults = true
  /// Members that have taken their leave themselves, and were not declared dead.
  var haveLeft: Set<MemberID> = []
  /// By partition: the highest epoch that a member has acted under, and which member.
  private var acted: [(epoch: UInt32, member: Int)?]
  private(set) var actCount = 0
  var clients: [Client] = []
  var asked: [Asked] = []
  /// Requests that have come to the upstream.
  var arrivals = 0
  var servedCount = 0
  /// Requests among them that came in exchanges.
  var exchangeCount = 0
  var forwardedCount = 0
  var deliveredCount = 0
  /// Pieces that clients heard.
  var pieceCount = 0
  /// Clients that got the answer to another request, which they joined or followed.
  var sharedAnswers = SharedAnswers()
  /// Requests that the upstream refused by their fences.
  var fencedCount = 0
  /// Requests that the upstream was asked to undo.
  var undoneCount = 0
  var faults = FleetFaultCounts()
  private(set) var complaint: String?
  private(set) var story: [String] = []

  static let sliceMilliseconds: Int64 = 20
  /// When all faults have stopped nothing depends on it any more.
  private static let settlingSliceMilliseconds: Int64 = 50
  private static let tickMilliseconds: Int64 = 100
  private static let mostMembers = 6

  let control: FleetRun.Control?

  init(seed: UInt64, _ control: FleetRun.Control? = nil) {
    self.control = control
    random = SplitMix64(seed: seed ^ 0x666c_6565_7421)
    apart = SplitMix64(seed: seed ^ 0x7069_6563_6573)
    shared = SplitMix64(seed: seed ^ 0x7368_6172_6564)
    held = SplitMix64(seed: seed ^ 0x6865_6c64_6261)
    timed = SplitMix64(seed: seed ^ 0x7469_6d65_6421)
    undoing = SplitMix64(seed: seed ^ 0x756e_646f_6e65)
    late = SplitMix64(seed: seed ^ 0x6c61_7465_2121)
    gated = SplitMix64(seed: seed ^ 0x6761_7465_6421)
    barred = SplitMix64(seed: seed ^ 0x6261_7272_6564)
    quiet = SplitMix64(seed: seed ^ 0x7175_6965_7421)
    paced = SplitMix64(seed: seed ^ 0x7061_6365_6421)
    twice = SplitMix64(seed: seed ^ 0x7477_6963_6521)
    spent = SplitMix64(seed: seed ^ 0x7370_656e_7421)
    ordered = SplitMix64(seed: seed ^ 0x6f72_6465_7221)
    hasSilence = quiet.oneIn(3)
    clocksDiffer = paced.oneIn(3)
    spends = spent.oneIn(8)
    usesExchanges = undoing.oneIn(4)
    passesFences = held.oneIn(3)
    partitions = 4 + random.below(9)
    fences = Fences(highest: Array(repeating: 0, count: partitions))
    rendezvousSeed = seed
    acted = Array(repeating: nil, count: partitions)
    for _ in 0..<2 + random.below(3) { start() }
    if clocksDiffer { faults.count(.clocksDiffer) }
  }

  mutating func tell(_ text: String) { story.append("\(now) \(text)") }

  mutating func complain(_ text: String) {
    guard complaint == nil else { return }
    complaint = text
    tell(text)
  }

  // MARK: What happens

  mutating func step() {
    let member = random.below(members.count)
    switch random.below(40) {
    case 0: if alive.count < Self.mostMembers { start() }
    case 1: if random.oneIn(3) { kill(member) }
    case 2: leave(random.oneIn(2) ? members.count - 1 : member)
    case 3, 4: stop(member, for: Int64(random.pick([200, 900, 2_500, 4_500, 9_000])))
    case 5:
      let times = control == .withoutPermit ? [12_000] : [100, 1_500, 3_500, 6_000, 12_000]
      cut(member, for: Int64(random.pick(times)))
    case 6, 9: slow(member, for: Int64(random.pick([500, 5_000])))
    case 7:
      members[member].deafUntil = now + Int64(random.pick([400, 2_000, 5_000]))
      faults.count(.loopIsDeaf)
    case 8: if random.oneIn(4) { takeEngineAway(for: Int64(random.pick([500, 2_900, 3_500, 10_000]))) }
    case 10: connect(to: member)
    case 11: if random.oneIn(4) { disconnect() }
    case 12..<20: for _ in 0...random.below(4) { ask() }
    case 20: takeBack()
    case 21:
      if random.oneIn(3), let place = members[member].links.keys.sorted().first {
        breakLink(place, of: member)
      }
    default: break
    }
    if barred.oneIn(40) { bar(barred.below(members.count), for: Int64(barred.pick([2_000, 8_000, 20_000]))) }
    if barred.oneIn(60) { drainSeveral() }
    if hasSilence, quiet.oneIn(25) { silence() }
    if spends, spent.oneIn(20) { spend(spent.below(members.count)) }
    if apart.oneIn(20) { takeBackSeveral() }
    if passesFences, held.oneIn(8) { holdBack(held.below(members.count)) }
    pass(milliseconds: Int64(random.pick([20, 60, 200, 500])))
  }

  /// All faults stop.
  mutating func finish() {
    engineAwayUntil = now
    hasFaults = false
    endSilence()
    for index in members.indices {
      members[index].cutUntil = now
      members[index].slowUntil = now
      members[index].deafUntil = now
      members[index].heldUntil = now
      members[index].barredUntil = now
      members[index].leavesAt = .max
      if members[index].state == .stopped { resume(index) }
    }
    if alive.allSatisfy({ members[$0].membership.standing == .leaving }) { start() }
    tell("no more faults")
    pass(milliseconds: Self.settlingMilliseconds)
    guard complaint == nil else { return }
    for index in members.indices where members[index].state == .running {
      if members[index].membership.standing != .member {
        complain("member \(index) is \(members[index].membership.standing) when all faults have stopped")
      }
    }
    for partition in 0..<partitions { checkOwner(of: partition) }
    checkRequests()
  }

  private static let settlingMilliseconds: Int64 = 30_000

  private mutating func checkOwner(of partition: Int) {
    let owners = members.indices.filter {
      members[$0].state == .running && permit(of: $0, for: partition) != nil
    }
    let ids = members.filter { $0.state == .running }.map(\.membership.id)
    let wanted = Rendezvous(seed: rendezvousSeed).first(for: partition, among: ids)
    guard owners.count == 1 else {
      return complain("partition \(partition) has \(owners.count) owners when all faults have stopped")
    }
    if members[owners[0]].membership.id != wanted {
      complain("partition \(partition) is not its first member's when all faults have stopped")
    }
  }

  var alive: [Int] { members.indices.filter { members[$0].state != .gone } }

  private mutating func newID() -> MemberID { MemberID(high: random.next(), low: random.next()) }

  private mutating func start() {
    let membership = Membership(
      newID(), address: "member \(members.count)", partitions: partitions, seed: rendezvousSeed)
    let clocks = drawClocks()
    members.append(
      SimulatedMember(
        membership, configuration, clocks: clocks, partitions: partitions,
        seed: rendezvousSeed, at: now, number: members.count))
    tell("member \(members.count - 1) starts")
    connect(to: members.count - 1)
    // Told to stop before it has heard what it has got.
    guard hasFaults, random.oneIn(6) else { return }
    slow(members.count - 1, for: 5_000)
    members[members.count - 1].leavesAt = now + Int64(random.below(2_000))
  }

  private mutating func kill(_ member: Int) {
    guard members[member].state != .gone, alive.count > 1 else { return }
    members[member].state = .gone
    faults.count(.memberIsKilled)
    tell("member \(member) is killed")
    breakLinks(to: member)
    leaveClients(of: member)
  }

  private mutating func leave(_ member: Int) {
    guard members[member].state == .running, alive.count > 1 else { return }
    faults.count(.memberLeaves)
    tell("member \(member) is to leave")
    members[member].staysIfLast = false
    members[member].membership.leave()
  }

  /// One is asked to give all away, as long as there are others; or all are at once.
  private mutating func drainSeveral() {
    let (all, one) = (barred.oneIn(2), barred.below(members.count))
    for member in alive where members[member].state == .running && (all || member == one) {
      let membership = members[member].membership
      guard membership.standing == .member, !membership.isLast else { continue }
      faults.count(.membersAreDrained)
      tell("member \(member) is to leave, unless it is the last")
      members[member].staysIfLast = true
      members[member].membership.leave(unlessLast: true)
    }
  }

  private mutating func stop(_ member: Int, for milliseconds: Int64) {
    guard members[member].state == .running else { return }
    members[member].state = .stopped
    members[member].stoppedUntil = now + milliseconds
    faults.count(.memberStops)
    tell("member \(member) stops for \(milliseconds) ms")
  }

  private mutating func resume(_ member: Int) {
    members[member].state = .running
    tell("member \(member) goes on")
    // Where it was stopped it was about to act.
    goOnHearing(member)
    endOwnerTurn(of: member)
    for partition in 0..<partitions { act(member, for: partition) }
  }

  private mutating func cut(_ member: Int, for milliseconds: Int64) {
    members[member].cutUntil = now + milliseconds
    faults.count(.memberIsCutOff)
    tell("member \(member) does not reach the engine for \(milliseconds) ms")
  }

  private mutating func slow(_ member: Int, for milliseconds: Int64) {
    members[member].slowUntil = now + milliseconds
    faults.count(.memberIsSlow)
    tell("what member \(member) and the engine say to each other is late for \(milliseconds) ms")
  }

  /// Others have no links to it, and get none.
  private mutating func bar(_ member: Int, for milliseconds: Int64) {
    guard members[member].state != .gone else { return }
    members[member].barredUntil = now + milliseconds
    faults.count(.memberIsBarred)
    tell("nobody reaches member \(member) for \(milliseconds) ms")
    for place in members[member].incoming.keys.sorted() {
      if let (asking, link) = incoming(place, of: member) { breakLink(link, of: asking) }
    }
  }

  private mutating func takeEngineAway(for milliseconds: Int64) {
    engineAwayUntil = now + milliseconds
    faults.count(.engineIsAway)
    tell("the engine is away for \(milliseconds) ms")
  }

  // MARK: Time

  private mutating func pass(milliseconds: Int64) {
    let end = now + milliseconds
    while now < end, complaint == nil {
      now += hasFaults ? Self.sliceMilliseconds : Self.settlingSliceMilliseconds
      for member in members.indices where members[member].state != .gone {
        if members[member].state == .stopped {
          guard now >= members[member].stoppedUntil else { continue }
          resume(member)
        }
        run(member)
      }
      deliverToEngine()
      deliverHeldBack()
      if !usesExchanges { givePieces() }
      upstreamWorks()
      upstreamUndoes()
      if let wrong = engine.complaint { complain(wrong) }
    }
  }

  private func delay(of member: Int) -> (least: Int64, spread: Int) {
    members[member].isSlow(at: now) ? (0, 2_500) : (1, 20)
  }

  mutating func arrival(to member: Int) -> Int64 {
    let (least, spread) = delay(of: member)
    return now + least + Int64(random.below(spread))
  }

  private func isReached(_ member: Int) -> Bool { now >= engineAwayUntil && !members[member].isCut(at: now) }

  /// The engine handles what has arrived; its answer to a member that is cut off is lost.
  private mutating func deliverToEngine() {
    for member in members.indices {
      guard let place = members[member].asked.firstIndex(where: { $0.at <= now }) else { continue }
      let request = members[member].asked.remove(at: place).request
      guard isReached(member) || (now >= engineAwayUntil && random.oneIn(2)) else { continue }
      let answer = engine.handle(request.body)
      if case .applied = answer, isLeave(request, of: member) {
        haveLeft.insert(members[member].membership.id)
        checkOthers(of: member)
      }
      guard isReached(member), !hasFaults || !random.oneIn(50) else {
        faults.count(.engineAnswerIsLost)
        continue
      }
      members[member].answers.append((arrival(to: member), request.number, answer, engine.header))
      guard hasFaults, twice.oneIn(12) else { continue }
      faults.count(.engineAnswersTwice)
      let later = now + Int64(twice.below(3_000))
      members[member].answers.append((later, request.number, answer, engine.header))
    }
  }

  // MARK: One member

  private mutating func run(_ member: Int) {
    if now >= members[member].leavesAt {
      members[member].leavesAt = .max
      leave(member)
    }
    if random.oneIn(2) { actSomewhere(member) }
    hearAnswers(member)
    // That it is dead, and what it was given before, come at the same time.
    if members[member].membership.standing == .removed, random.oneIn(2) { members[member].nextWatchAt = now }
    hearWatch(member)
    if random.oneIn(4) { actSomewhere(member) }
    if now >= members[member].nextTickAt {
      members[member].nextTickAt = now + Self.tickMilliseconds
      tellLinks(of: member)
      members[member].membership.tick(
        at: clock(of: member), loopsAreAlive: now >= members[member].deafUntil)
    }
    heed(member)
    guard members[member].state == .running else { return }
    sendRequests(member)
    runLoops(of: member)
    if random.oneIn(2) { actSomewhere(member) }
  }

  private mutating func hearAnswers(_ member: Int) {
    while let place = members[member].answers.firstIndex(where: { $0.at <= now }) {
      let (_, number, answer, header) = members[member].answers.remove(at: place)
      members[member].membership.answered(number, answer, header, at: clock(of: member))
    }
  }

  private mutating func hearWatch(_ member: Int) {
    guard isReached(member), now >= members[member].nextWatchAt else { return }
    let time = clock(of: member)
    guard let watched = members[member].watched, !random.oneIn(200) else {
      // It begins anew, with all there is.
      if members[member].watched != nil { faults.count(.watchBeginsAnew) }
      members[member].membership.sawAll(engine.all, engine.header, at: time)
      members[member].view.sawAll(engine.all)
      hearNews(of: member)
      members[member].watched = engine.changes.count
      return
    }
    // Some of it, or all: nobody knows how much comes at once.
    let count = random.oneIn(3) ? random.below(3) : engine.changes.count
    for change in engine.changes.dropFirst(watched).prefix(count) {
      members[member].membership.saw(change, at: time)
      members[member].view.saw(change)
      members[member].watched! += 1
    }
    hearNews(of: member)
    members[member].nextWatchAt = arrival(to: member)
  }

  mutating func heed(_ member: Int) {
    var isDead = false
    for event in members[member].membership.takeEvents() {
      switch event {
      case .gained(let partition, let epoch, let isExclusive):
        if isDead { complain("member \(member) gets partition \(partition) under a name that is dead") }
        if epoch <= members[member].left[partition, default: 0] {
          complain(
            "member \(member) gets partition \(partition) again under epoch \(epoch), which it has left")
        }
        tell("member \(member) has partition \(partition), epoch \(epoch)\(isExclusive ? "" : ", taken")")
        act(member, for: partition)
        members[member].owned[partition] = epoch
        members[member].draining[partition] = nil
        members[member].told.append { $0.core.gained(partition, epoch: epoch, isExclusive: isExclusive) }
      case .drain(let partition):
        tell("member \(member) drains partition \(partition)")
        members[member].draining[partition] = members[member].owned[partition]
        members[member].told.append { $0.core.drain(partition: partition) }
      case .lost(let partition):
        tell("member \(member) has lost partition \(partition)")
        members[member].draining[partition] = nil
        members[member].left[partition] = members[member].owned[partition]
        members[member].gaveAwayAt = now
        members[member].told.append { $0.core.lost(partition) }
      case .removed:
        isDead = true
        tell("member \(member) was declared dead")
        checkDeath(of: member)
        forgetAll(of: member)
      }
    }
    switch members[member].membership.standing {
    case .removed:
      members[member].hasJoined = false
      members[member].membership.rejoin(as: newID(), at: clock(of: member))
    case .left:
      members[member].state = .gone
      tell("member \(member) has left")
      breakLinks(to: member)
      leaveClients(of: member)
    case .halted(let reason): complain("member \(member) has halted: \(reason)")
    case .member: members[member].hasJoined = true
    case .joining, .leaving: break
    }
  }

  /// A member that was asked to leave unless it is the last has left another there.
  private mutating func checkOthers(of member: Int) {
    let isAnybodyThere = engine.all.contains {
      if case .member(let other) = $0.record.value { !other.isLeaving } else { false }
    }
    if members[member].staysIfLast, !isAnybodyThere {
      complain("member \(member) has left, and was the last")
    }
  }

  /// Nobody is declared dead because the engine was away.
  private mutating func checkDeath(of member: Int) {
    let isHindered = now - members[member].hinderedUntil < Self.longestSilence
    if members[member].hasJoined, !isHindered, !haveLeft.contains(members[member].membership.id) {
      complain("member \(member) was declared dead, and nothing had kept it from beating")
    }
  }

  /// As long as the engine may be away, and what it takes to be declared dead behind that.
  private static let longestSilence: Int64 = 16_000

  private mutating func sendRequests(_ member: Int) {
    for request in members[member].membership.takeRequests() {
      if now < members[member].deafUntil, members[member].membership.standing != .joining,
        isBeat(request, of: member)
      {
        complain("member \(member) says that it lives, and one of its loops does not answer")
      }
      guard isReached(member) else { continue }
      // Told to stop before it has heard whether it has what it asked for.
      if hasFaults, isClaim(request, of: member), random.oneIn(8) {
        slow(member, for: 2_500)
        members[member].leavesAt = now
      }
      members[member].asked.append((arrival(to: member), request))
    }
  }

  private func isBeat(_ request: EngineRequest, of member: Int) -> Bool {
    guard case .transaction(let transaction) = request.body else { return false }
    return transaction.writes.contains { write in
      if case .put(.member(members[member].membership.id), _) = write { true } else { false }
    }
  }

  private func isLeave(_ request: EngineRequest, of member: Int) -> Bool {
    guard case .transaction(let transaction) = request.body else { return false }
    return transaction.writes.contains(.delete(.member(members[member].membership.id)))
  }

  private func isClaim(_ request: EngineRequest, of member: Int) -> Bool {
    guard case .transaction(let transaction) = request.body else { return false }
    return transaction.writes.contains { write in
      if case .put(_, .partition(let record)) = write {
        record.owner == members[member].membership.id
      } else {
        false
      }
    }
  }

  /// The member has been declared dead: all its state is void, and members that asked it hear of that.
  private mutating func forgetAll(of member: Int) {
    members[member].told = []
    members[member].isHeldInTurn = false
    members[member].draining = [:]
    members[member].owner.forgetAll()
    // The connection that answers would come over is no more.
    members[member].unheard = []
    members[member].toEdge.forget()
    members[member].edge.core.placeHasForgotten(1)
    breakLinks(to: member)
  }

  // MARK: Acting

  private mutating func actSomewhere(_ member: Int) { act(member, for: random.below(partitions)) }

  private func permit(of member: Int, for partition: Int) -> Permit? {
    members[member].membership.permit(for: partition, at: clock(of: member))
  }

  private mutating func act(_ member: Int, for partition: Int) {
    guard let permit = permit(of: member, for: partition) else { return }
    actCount += 1
    if let last = acted[partition] {
      if permit.epoch < last.epoch {
        return complain(
          "member \(member) acts for partition \(partition) under epoch \(permit.epoch), after member \(last.member) did under \(last.epoch)"
        )
      }
      if permit.epoch == last.epoch, last.member != member {
        return complain("members \(member) and \(last.member) act for partition \(partition) under one epoch")
      }
    }
    acted[partition] = (permit.epoch, member)
  }
}
