import Addresses
import Fleet
import GatewayCore
import LibUV
import Logging
import Secrets
import TLS
import TLSStreams

/// The links from other members' loops with clients to the loop with this member's partitions.
final class OwningLinks: RemoteLinks {
  private final class Link {
    let connection: PeerConnection
    let nonce: [UInt8]
    /// When it came, by the loop's time.
    let since: UInt64
    /// Nil: the member is not known yet.
    var hello: PeerGreeting.Hello?
    var place = -1
    /// The other member had another configuration when it came.
    var differs = false
    var silence = LinkSilence()

    init(_ connection: PeerConnection, _ nonce: [UInt8], since: UInt64) {
      self.connection = connection
      self.nonce = nonce
      self.since = since
    }
  }

  /// Connections that have not said yet whose they are; another takes the place of the oldest.
  private static let mostStrangers = 64
  /// So long they have for that.
  private static let greetingMilliseconds: UInt64 = 4_000
  static let tickMilliseconds: UInt64 = 1_000

  private unowned let server: GatewayServer
  private let log: Logger
  private let greeting: PeerGreeting
  let gate: FleetGate
  var digest: UInt64
  /// Nil: what is said is not encrypted.
  var tls: FleetTLS?
  private let scratch = TLSScratch()
  private var timer: LoopTimer?
  private var own: MemberID
  private var listener: Listener?
  private var strangers: [Link] = []
  /// By place.
  private var links: [Int: Link] = [:]
  private var refusals = RepeatedWarning()
  private var differing = RepeatedWarning()
  private var crowds = RepeatedWarning()
  private var silences = RepeatedWarning()
  /// The life of the member that this loop is in.
  private(set) var life = 0
  /// The life at whose start connections to upstreams were reset.
  private var resetLife = 0
  private var strangeClients = RepeatedWarning()
  private var strangeClientCount: UInt64 = 0
  /// Told which partitions nothing is left of.
  var onDrained: (([(partition: Int, isExclusive: Bool)]) -> Void)?
  /// Told which partitions need a higher epoch.
  var onSpent: (([Int]) -> Void)?
  /// Told when another member says that this one is to give its partitions away.
  var onDrain: (() -> Void)?

  /// Starts to listen.
  init(of server: GatewayServer, _ options: FleetOptions, as id: MemberID, _ gate: FleetGate, digest: UInt64)
    throws(StartError)
  {
    self.server = server
    log = server.log
    greeting = PeerGreeting(secret: options.secret, fleet: options.name)
    self.gate = gate
    self.digest = digest
    tls = options.tls
    own = id
    do throws(UVError) {
      let acceptsPerTurn =
        options.tls == nil ? Listener.acceptsPerTurn : SecureClients.acceptsPerTurn
      listener = try Listener(on: server.loop, address: options.listen, acceptsPerTurn: acceptsPerTurn) {
        [unowned self] in accept($0)
      }
    } catch {
      throw StartError(address: options.listen, cause: error)
    }
    timer = LoopTimer(on: server.loop) { [unowned self] in tick() }
    timer?.start(afterMilliseconds: Self.tickMilliseconds)
  }

  /// With the port that the kernel gave.
  var address: SocketAddress? { listener?.address }
  var linkedCount: Int { links.count }
  /// Of these, from members that had another configuration than this one when they came.
  var differingCount: Int { links.values.count(where: \.differs) }
  var linkedMembers: Set<MemberID> { Set(links.values.compactMap { $0.hello?.from }) }

  func close() {
    timer?.close()
    timer = nil
    listener?.close()
    listener = nil
    for link in strangers + links.values { link.connection.close() }
    strangers = []
    links = [:]
  }

  func become(_ id: MemberID) { own = id }

  // MARK: Acting

  /// Before anything is said: stands still until the member may act. What was decided before it was declared dead is
  /// forgotten.
  func waitForPermit() {
    while true {
      forgetEarlierLife()
      let hasWaited = gate.wait(in: life)
      guard gate.life == life else { continue }
      if hasWaited {
        goOn()
        server.core.timeAdvanced(to: server.loop.nowMilliseconds)
      }
      return
    }
  }

  /// Before anything is decided: no time passes while the member may not act.
  func waitBeforeTurn() {
    if gate.wait(in: life) { goOn() }
    if gate.life != life { resetUpstreams() }
  }

  /// The member was declared dead in the middle of a turn. The rest of the turn goes on in the earlier life: neither its
  /// output nor what libuv still has to write may reach an upstream.
  private func resetUpstreams() {
    guard resetLife != gate.life else { return }
    resetLife = gate.life
    server.connections.resetUpstreams()
  }

  /// Whether output may be written before the turn's end.
  var mayFlushEarly: Bool { gate.mayFlush(in: life) }

  /// It has stood still, maybe in the middle of a turn.
  private func goOn() {
    server.loop.updateTime()
    server.core.stoodStill(until: server.loop.nowMilliseconds)
  }

  /// The member has been declared dead since this loop's last turn.
  func forgetEarlierLife() {
    guard gate.life != life else { return }
    life = gate.life
    server.forgetAll()
    for (place, link) in links.sorted(by: { $0.key < $1.key }) {
      link.connection.close()
      server.forget(place)
    }
    links = [:]
  }

  func sayDrained(_ drained: [(partition: Int, isExclusive: Bool)]) {
    if !drained.isEmpty { onDrained?(drained) }
  }

  func saySpent(_ partitions: [Int]) {
    if !partitions.isEmpty { onSpent?(partitions) }
  }

  // MARK: Who asks

  private func accept(_ stream: ByteStream) {
    guard let nonce = RandomBytes.make(PeerGreeting.nonceBytes), let connection = connection(over: stream)
    else { return stream.close() }
    if strangers.count >= Self.mostStrangers { forget(strangers[0]) }
    let link = Link(connection, nonce, since: server.loop.nowMilliseconds)
    strangers.append(link)
    link.connection.onEnd = { [unowned self, unowned link] _ in forget(link) }
    link.connection.onFrame = { [unowned self, unowned link] in heard($0, $1, over: link) }
    link.connection.send(.challenge) { $0.write(nonce) }
  }

  private func connection(over stream: ByteStream) -> PeerConnection? {
    guard let tls else { return PeerConnection(stream) }
    guard let engine = try? TLSEngine(server: tls.server) else { return nil }
    return PeerConnection(stream, engine, scratch, on: server.loop)
  }

  private func tick() {
    timer?.start(afterMilliseconds: Self.tickMilliseconds)
    forgetStrangers()
    forgetSilent()
  }

  /// A machine that vanished says no end: its loops would have their places for ever.
  private func forgetSilent() {
    for (_, link) in links.sorted(by: { $0.key < $1.key })
    where link.silence.isOver(receivedByteCount: link.connection.receivedByteCount) {
      silences.log(
        "another member has said nothing for \(LinkSilence.milliseconds) ms",
        ["member": "\(link.hello?.from.text ?? "")"], to: log, atMilliseconds: server.loop.nowMilliseconds)
      forget(link)
    }
  }

  /// A connection that does not greet does not keep its place for ever.
  private func forgetStrangers() {
    let now = server.loop.nowMilliseconds
    while let oldest = strangers.first, now - oldest.since >= Self.greetingMilliseconds { forget(oldest) }
  }

  private func forget(_ link: Link) {
    link.connection.close()
    strangers.removeAll { $0 === link }
    guard link.place >= 0, links[link.place] === link else { return }
    links[link.place] = nil
    server.forget(link.place)
  }

  private func heard(_ kind: PeerConnection.Kind, _ bytes: [UInt8], over link: Link) {
    switch kind {
    case .hello where link.hello == nil: greeted(bytes, over: link)
    case .batch where link.place >= 0:
      guard let batch = PeerBatch(bytes, from: .asking, server.core.configuration.scan) else {
        return forget(link)
      }
      server.now()
      server.heard(batch, from: link.place)
      noteStrangers(from: link)
    case .ping where link.place >= 0:
      var reader = WireReader(bytes)
      guard let sentAt: Int64 = reader.read() else { return forget(link) }
      let remaining = max(0, gate.until.subtractingSaturated(BootClock.nowMilliseconds))
      link.connection.send(.pong) {
        $0.write(sentAt)
        $0.write(gate.life == life ? remaining : 0)
      }
    case .drain where link.place >= 0: onDrain?()
    case .challenge, .hello, .welcome, .batch, .ping, .pong, .drain: forget(link)
    }
  }

  private func noteStrangers(from link: Link) {
    guard server.core.strangerCount != strangeClientCount else { return }
    strangeClientCount = server.core.strangerCount
    strangeClients.log(
      "refusing requests of a client whose principal or listener only another member has",
      ["member": "\(link.hello?.from.text ?? "")"], to: log, atMilliseconds: server.loop.nowMilliseconds)
  }

  private func greeted(_ bytes: [UInt8], over link: Link) {
    let hello: PeerGreeting.Hello
    do throws(PeerGreeting.Fault) {
      hello = try greeting.read(bytes, answering: link.nonce)
      if hello.to != own { throw .otherMember }
    } catch {
      refusals.log(
        "refused a connection of another member of the fleet",
        ["from": "\(link.connection.peerAddress)", "reason": "\(error)"], to: log,
        atMilliseconds: server.loop.nowMilliseconds)
      return forget(link)
    }
    guard gate.life == life else { return forget(link) }
    for (_, other) in links.sorted(by: { $0.key < $1.key })
    where other.hello?.from == hello.from && other.hello?.loop == hello.loop {
      // It has given up what was asked over the older one.
      forget(other)
    }
    let first = server.links?.place.count ?? 0
    guard let place = (first..<LoopPlace.mostInFleet).first(where: { links[$0] == nil }) else {
      crowds.log(
        "too many loops of other members ask for this one's partitions", to: log,
        atMilliseconds: server.loop.nowMilliseconds)
      return forget(link)
    }
    link.differs = hello.digest != digest
    if link.differs {
      differing.log(
        "another member has other routes, upstreams, listeners or principals",
        ["member": "\(hello.from.text)"],
        to: log, atMilliseconds: server.loop.nowMilliseconds)
    }
    link.hello = hello
    link.place = place
    link.connection.isTrusted = true
    strangers.removeAll { $0 === link }
    links[place] = link
    server.now()
    server.core.placeIsUp(place, ofLife: hello.from.high ^ hello.from.low)
    link.connection.send(.welcome) { $0.write(greeting.welcome(to: hello, answering: link.nonce)) }
  }

  // MARK: Saying

  func send(_ batch: PeerBatch, to place: Int) {
    links[place]?.connection.send(batch)
  }

  func isBehind(_ place: Int) -> Bool { links[place]?.connection.isBehind ?? false }
}

extension Int64 {
  fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (self < other ? .min : .max) : difference
  }
}

@available(*, unavailable)
extension OwningLinks: Sendable {}
