import Addresses
import Fleet
import GatewayCore
import LibUV
import Logging

/// This process' part in a fleet: asks the engine, and tells the loops who has what. It runs on a loop that serves
/// nobody.
final class FleetMember {
  /// What the loop with the partitions tells.
  private enum Report: Sendable {
    case drained([Drained])
    /// They have nearly used up the numbers of their epochs.
    case spent([Int])
    /// Another member was asked to have this one do so.
    case toDrain
  }

  private struct Drained: Sendable {
    let partition: Int
    let isExclusive: Bool
  }

  private static let tickMilliseconds: UInt64 = 100
  /// A loop that has not answered for so long is stuck: the member does not say any more that it lives.
  private static let pulseMilliseconds: Int64 = 1_000

  let options: FleetOptions
  let gate: FleetGate
  private let workers: Workers
  private let loop: EventLoop
  private let log: Logger
  private let etcd: EtcdClient
  private(set) var membership: Membership
  private(set) var view: FleetView
  private let pulses: [LoopPulse]
  private var timer: LoopTimer?
  private var leaveTimer: LoopTimer?
  private var leaveDeadline: LeaveDeadline?
  private var reports: Mailbox<Report>?
  private var onLeft: (() -> Void)?
  private var hasHeld = false
  private var told = Membership.Standing.joining
  private(set) var declaredDeadCount = 0
  var hasBeenReady = false

  /// - Parameter address: where other members' connections come.
  init(
    _ options: FleetOptions, as id: MemberID, at address: SocketAddress, _ gate: FleetGate,
    _ workers: Workers,
    on loop: EventLoop, log: Logger
  ) throws(UVError) {
    self.options = options
    self.gate = gate
    self.workers = workers
    self.loop = loop
    self.log = log
    membership = Membership(
      id, address: (options.advertise ?? address).description, partitions: FleetOptions.partitions,
      seed: options.seed, timings: options.timings)
    view = FleetView(
      partitions: FleetOptions.partitions, places: workers.count..<LoopPlace.mostInFleet)
    etcd = EtcdClient(options, on: loop, log: log)
    pulses = (0..<workers.count).map { _ in LoopPulse() }
    reports = try Mailbox<Report>(on: loop) { [unowned self] in hear($0) }
    etcd.onAnswer = { [unowned self] number, answer, header in
      membership.answered(number, answer, header, at: BootClock.nowMilliseconds)
      act()
    }
    etcd.onAll = { [unowned self] records, header in
      membership.sawAll(records, header, at: BootClock.nowMilliseconds)
      if membership.believesEngine { view.sawAll(records) }
      act()
    }
    etcd.onChange = { [unowned self] change in
      membership.saw(change, at: BootClock.nowMilliseconds)
      if membership.believesEngine { view.saw(change) }
      act()
    }
  }

  func start() {
    workers.tell(workers.owner) { [sender = reports?.sender] server in
      server.owning?.onDrained = { drained in
        sender?.send(
          .drained(drained.map { Drained(partition: $0.partition, isExclusive: $0.isExclusive) }))
      }
      server.owning?.onSpent = { sender?.send(.spent($0)) }
      server.owning?.onDrain = { sender?.send(.toDrain) }
    }
    timer = LoopTimer(on: loop) { [unowned self] in tick() }
    timer?.start(afterMilliseconds: 0)
    log.info(
      "joining the fleet", metadata: ["fleet": "\(options.name)", "member": "\(membership.id.text)"])
  }

  func close() {
    timer?.close()
    leaveTimer?.close()
    (timer, leaveTimer) = (nil, nil)
    etcd.close()
    reports?.close()
    reports = nil
    gate.end()
  }

  /// Gives away what it has, and has nothing from then on; its clients are served by others'.
  func drain() {
    guard membership.standing == .member, !membership.isLast else { return }
    log.notice("giving keys away to other members, as was asked for")
    membership.leave(unlessLast: true)
    act()
  }

  /// Gives away its partitions, and leaves.
  /// - Parameters:
  ///   - milliseconds: then it stops in any case: the engine may be away. Others take its partitions.
  ///   - endMilliseconds: how long running tasks may take to end; where the engine is there, it waits for them.
  func leave(
    within milliseconds: UInt64? = nil, endingWithin endMilliseconds: UInt64 = 0,
    then onLeft: @escaping () -> Void
  ) {
    self.onLeft = onLeft
    membership.leave()
    act()
    guard let milliseconds, self.onLeft != nil else { return }
    leaveDeadline = LeaveDeadline(
      at: BootClock.nowMilliseconds, endMilliseconds: Int64(endMilliseconds),
      beatMilliseconds: options.timings.beat)
    leaveTimer = LoopTimer(on: loop) { [unowned self] in lookAtLeaving() }
    leaveTimer?.start(afterMilliseconds: isHalted ? 0 : milliseconds)
  }

  private func lookAtLeaving() {
    let pause = leaveDeadline?.pause(actsUntil: membership.actsUntil, at: BootClock.nowMilliseconds)
    guard let pause else { return giveUpLeaving() }
    leaveTimer?.start(afterMilliseconds: UInt64(pause))
  }

  private var isHalted: Bool { if case .halted = membership.standing { true } else { false } }

  private func giveUpLeaving() {
    guard onLeft != nil else { return }
    log.warning("stopping without having left the fleet: \(reasonToStay)")
    // What it had decided and not said counts no more.
    gate.beginLife()
    left()
  }

  private var reasonToStay: String {
    if case .halted(let halt) = membership.standing { return halt.text }
    let count = membership.drainingCount
    let isHeard = BootClock.nowMilliseconds < membership.actsUntil
    return isHeard && count > 0 ? "what runs in \(count) partitions has not ended" : "etcd does not answer"
  }

  private func left() {
    leaveTimer?.close()
    leaveTimer = nil
    gate.end()
    // Loops whose drain deadline is past wait for this alone.
    tellEdges { $0.lookAgain() }
    let onLeft = onLeft
    self.onLeft = nil
    onLeft?()
  }

  // MARK: Time

  private func tick() {
    timer?.start(afterMilliseconds: Self.tickMilliseconds)
    let now = BootClock.nowMilliseconds
    // A loop that stands still is asked once.
    for (number, pulse) in pulses.enumerated() where pulse.ask() {
      workers.tell(number) { pulse.beat(linked: $0.linkedMembers) }
    }
    let edges = pulses[..<workers.owner]
    membership.isLinked(
      to: edges.dropFirst().reduce(edges[0].linked) { $0.intersection($1.linked) },
      from: pulses[workers.owner].linked)
    noteReady()
    membership.tick(at: now, loopsAreAlive: areLoopsAlive(at: now))
    act()
  }

  private func areLoopsAlive(at now: Int64) -> Bool {
    pulses.enumerated().allSatisfy { number, pulse in
      number == workers.owner && gate.isHolding || now - pulse.lastBeat < Self.pulseMilliseconds
    }
  }

  /// It looks by itself: who asks for the first time may do so while others are away.
  private func noteReady() {
    guard !hasBeenReady else { return }
    var status = status
    status.links = status.members.count { !$0.isSelf } * workers.owner
    status.linksUp = pulses[..<workers.owner].reduce(0) { $0 + $1.linked.count }
    hasBeenReady = status.reason == nil
  }

  private func hear(_ report: Report) {
    switch report {
    case .drained(let drained):
      for one in drained { membership.drained(one.partition, isExclusive: one.isExclusive) }
      let now = BootClock.nowMilliseconds
      membership.tick(at: now, loopsAreAlive: areLoopsAlive(at: now))
    case .spent(let partitions): renew(partitions)
    case .toDrain: drain()
    }
    act()
  }

  private func renew(_ partitions: [Int]) {
    log.notice(
      "the generations of an epoch are nearly used up: having partitions anew under a higher one",
      metadata: ["partitions": "\(partitions.count)"])
    for partition in partitions { membership.renew(partition) }
  }

  // MARK: What follows

  private func act() {
    heed()
    tellNews()
    // What it has got is known before it may act for it.
    gate.set(until: membership.actsUntil)
    tellStanding()
    for request in membership.takeRequests() { etcd.ask(request) }
    guard membership.standing == .left else { return }
    // A drained member goes on serving its clients. Its loops must not wait for a permit that never comes.
    gate.end()
    if onLeft != nil { left() }
  }

  private func heed() {
    for event in membership.takeEvents() {
      switch event {
      case .gained(let partition, let epoch, let isExclusive):
        tellOwner { $0.gained(partition, epoch: epoch, isExclusive: isExclusive) }
      case .drain(let partition): tellOwner { $0.drain(partition: partition) }
      case .lost(let partition): tellOwner { $0.lost(partition) }
      case .removed: removed()
      }
    }
    guard membership.standing == .removed else { return }
    let id = MemberID.random()
    membership.rejoin(as: id, at: BootClock.nowMilliseconds)
    for number in 0..<workers.count { workers.tell(number) { $0.become(id) } }
  }

  private func removed() {
    gate.beginLife()
    // A member that leaves deletes its own record.
    if told == .joining {
      log.info("etcd did not acknowledge in time that this member joined: it joins under another name")
    } else if membership.hasDiedLeaving {
      declaredDeadCount += 1
      log.warning("this member has been declared dead before it had given all its keys away")
    } else if membership.standing != .left {
      declaredDeadCount += 1
      log.warning("this member has been declared dead: it has forgotten what it had, and joins again")
    }
    // In its turn, before what it gets in its next life; where it stands still it hears of it at once.
    workers.tell(workers.owner) { $0.owning?.forgetEarlierLife() }
  }

  private func tellOwner(_ body: @escaping @Sendable (inout GatewayCore) -> Void) {
    workers.tell(workers.owner) { server in
      server.owning?.forgetEarlierLife()
      server.now()
      body(&server.core)
    }
  }

  private func tellNews() {
    for news in view.takeNews() {
      switch news {
      case .came(let id, let place, let address):
        guard id != membership.id, let address = SocketAddress(parsing: address) else { continue }
        tellEdges { $0.asking?.came(id, at: place, address) }
      case .gone(_, let place): tellEdges { $0.asking?.gone(place) }
      case .partition(let number, let owner, let place, let epoch):
        let isOwn = owner == membership.id
        let known = isOwn ? workers.owner : place ?? -1
        tellEdges {
          $0.now()
          $0.core.partition(number, isAt: known, epoch: epoch)
        }
        if !isOwn { tellOwner { $0.heard(ofPartition: number, epoch: epoch) } }
      }
    }
  }

  private func tellEdges(_ body: @escaping @Sendable (GatewayServer) -> Void) {
    for number in 0..<workers.owner { workers.tell(number, body) }
  }

  /// What an operator has to know, once.
  private func tellStanding() {
    let now = BootClock.nowMilliseconds
    let isHolding = membership.standing == .member && now >= membership.actsUntil
    if isHolding != hasHeld {
      hasHeld = isHolding
      if isHolding {
        log.warning("etcd does not acknowledge that this member lives: requests for its keys wait")
      } else {
        log.notice("etcd acknowledges again that this member lives: requests go on")
      }
    }
    guard membership.standing != told else { return }
    let before = told
    told = membership.standing
    switch told {
    case .member where before == .leaving:
      log.warning("keeping its keys: all other members leave, or are gone")
    case .member:
      log.notice(
        "joined the fleet", metadata: ["fleet": "\(options.name)", "member": "\(membership.id.text)"])
    case .halted(let reason):
      log.critical("this member does nothing any more for the fleet: \(reason.text); it has to be restarted")
    case .leaving: log.info("leaving the fleet")
    case .left where before == .joining: log.info("stopped before it had joined the fleet")
    case .left: log.info("left the fleet")
    case .joining, .removed: break
    }
  }
}

extension Membership.Halt {
  fileprivate var text: String {
    switch self {
    case .otherCluster: "the engine is another cluster than before"
    case .revisionWentBackwards: "the engine has forgotten what it had acknowledged"
    case .recordsDeleted: "records of the fleet have been deleted in etcd"
    case .twin: "another process writes this member's record"
    case .epochsAreSpent: "a partition's record in etcd has the highest epoch there is"
    }
  }
}

extension MemberID {
  static func random() -> MemberID {
    MemberID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
  }
}

@available(*, unavailable)
extension FleetMember: Sendable {}
