import Addresses
import Fleet
import GatewayCore
import LibUV
import Logging
import Secrets
import TLS
import TLSStreams

/// What leads from a loop with clients to other members' partitions: a connection to each, made again when it breaks.
final class AskingLinks: RemoteLinks {
  private final class Link {
    let id: MemberID
    let address: SocketAddress
    var attempt: ConnectAttempt?
    var connection: PeerConnection?
    var mail = LeasedMail()
    var isUp = false
    /// It is, and does not answer: what is asked from now on waits.
    var isPausing = false
    var pauses = RepeatedWarning()
    /// When it was asked last, by `CLOCK_BOOTTIME`.
    var pingedAt = Int64.min
    var silence = AnswerSilence(at: 0)

    init(_ id: MemberID, _ address: SocketAddress) {
      self.id = id
      self.address = address
    }
  }

  private static let tickMilliseconds: UInt64 = 50
  private static let pingMilliseconds: Int64 = 500
  private static let pauseMilliseconds: Int64 = 200
  /// An attempt that takes longer is given up for a new one: the kernel pauses longer each time that nothing answers.
  private static let connectMilliseconds: Int64 = 2_000

  private unowned let server: GatewayServer
  private let loop: EventLoop
  private let log: Logger
  private let greeting: PeerGreeting
  private let gate: FleetGate
  var digest: UInt64
  /// Nil: what is said is not encrypted.
  var tls: FleetTLS?
  private let scratch = TLSScratch()
  private var own: MemberID
  /// By place.
  private var links: [Int: Link] = [:]
  /// Requests that were passed on to other members, since the start.
  private(set) var forwardedRequestCount: UInt64 = 0
  private var timer: LoopTimer?
  /// What the member's own loop with partitions has said.
  private var ownMail = LeasedMail()
  private var ownLife = 0

  init(of server: GatewayServer, _ options: FleetOptions, as id: MemberID, _ gate: FleetGate, digest: UInt64)
  {
    self.server = server
    loop = server.loop
    log = server.log
    greeting = PeerGreeting(secret: options.secret, fleet: options.name)
    self.gate = gate
    self.digest = digest
    tls = options.tls
    own = id
    timer = LoopTimer(on: loop) { [unowned self] in tick() }
    timer?.start(afterMilliseconds: Self.tickMilliseconds)
  }

  /// The member has left the fleet, or stops without that.
  var hasLeft: Bool { gate.isOver }
  var linkedCount: Int { links.values.count(where: \.isUp) }
  var knownCount: Int { links.count }
  var linkedMembers: Set<MemberID> { Set(links.values.filter(\.isUp).map(\.id)) }

  func close() {
    timer?.close()
    timer = nil
    for place in links.keys.sorted() { gone(place) }
  }

  // MARK: Who is there

  func become(_ id: MemberID) { own = id }

  func came(_ id: MemberID, at place: Int, _ address: SocketAddress) {
    links[place] = Link(id, address)
    connect(place)
  }

  func gone(_ place: Int) {
    guard let link = links[place] else { return }
    end(link, at: place)
    links[place] = nil
  }

  private func connect(_ place: Int) {
    guard let link = links[place], link.attempt == nil, link.connection == nil else { return }
    link.pingedAt = BootClock.nowMilliseconds
    link.attempt = ByteStream.connect(to: link.address, on: loop) { [unowned self] result in
      link.attempt = nil
      switch result {
      case .success(let stream): greet(link, at: place, over: stream)
      case .failure(let error): tell(link, "\(error)")
      }
    }
  }

  private func tell(_ link: Link, _ reason: String) {
    link.pauses.log(
      "cannot reach another member of the fleet; trying again",
      ["member": "\(link.id.text)", "address": "\(link.address)", "reason": "\(reason)"], to: log,
      atMilliseconds: loop.nowMilliseconds)
  }

  /// Nil: there can be none.
  private func connection(over stream: ByteStream, of link: Link) -> PeerConnection? {
    guard let tls else { return PeerConnection(stream) }
    do throws(TLSFault) {
      let engine = try TLSEngine(client: tls.client, to: tls.serverName ?? link.address.host ?? "")
      return PeerConnection(stream, engine, scratch, on: loop)
    } catch {
      stream.close()
      tell(link, "TLS: \(error)")
      return nil
    }
  }

  private func greet(_ link: Link, at place: Int, over stream: ByteStream) {
    guard let connection = connection(over: stream, of: link) else { return }
    link.connection = connection
    link.silence = AnswerSilence(at: BootClock.nowMilliseconds)
    var hello: PeerGreeting.Hello?
    var expected: [UInt8] = []
    connection.onEnd = { [unowned self] reason in
      tell(link, link.isUp ? reason : "\(reason) before both knew each other (see its log)")
      link.connection = nil
      end(link, at: place)
    }
    connection.onFrame = { [unowned self, unowned connection] kind, bytes in
      switch kind {
      case .challenge where hello == nil:
        guard let nonce = RandomBytes.make(PeerGreeting.nonceBytes) else { return }
        var reader = WireReader(bytes)
        let theirs = reader.text() ?? []
        let said = PeerGreeting.Hello(
          from: own, loop: UInt16(server.links?.place.number ?? 0), to: link.id, digest: digest, nonce: nonce)
        hello = said
        expected = greeting.welcome(to: said, answering: theirs)
        connection.send(.hello) { greeting.write(said, answering: theirs, into: &$0) }
      case .welcome where hello != nil && !connection.isTrusted:
        var reader = WireReader(bytes)
        guard let proof = reader.text(), isEqualInConstantTime(proof, expected) else {
          tell(link, "it does not know the fleet's secret")
          return end(link, at: place)
        }
        connection.isTrusted = true
        isUp(link, at: place)
      case .batch where connection.isTrusted: heard(bytes, link, at: place)
      case .pong where connection.isTrusted: heardPong(bytes, link, at: place)
      case .challenge, .hello, .welcome, .batch, .ping, .pong, .drain:
        tell(link, "it says what no member says")
        end(link, at: place)
      }
    }
  }

  private func isUp(_ link: Link, at place: Int) {
    link.isUp = true
    server.now()
    server.core.placeIsUp(place)
    ping(link)
    log.info("linked to another member of the fleet", metadata: ["member": "\(link.id.text)"])
  }

  private func end(_ link: Link, at place: Int) {
    link.attempt?.cancel()
    link.attempt = nil
    link.connection?.close()
    link.connection = nil
    link.mail.forget()
    guard link.isUp else { return }
    (link.isUp, link.isPausing) = (false, false)
    server.forget(place)
  }

  // MARK: Saying

  func send(_ batch: PeerBatch, to place: Int) {
    guard let connection = links[place]?.connection else { return }
    connection.send(batch)
    forwardedRequestCount += UInt64(batch.requestCount)
  }

  var life: Int { ownLife }

  func isBehind(_ place: Int) -> Bool { links[place]?.connection?.isBehind ?? false }

  private func ping(_ link: Link) {
    link.pingedAt = BootClock.nowMilliseconds
    link.connection?.send(.ping) { $0.write(link.pingedAt) }
  }

  /// Has another member give its partitions away; returns whether it can be reached.
  func drain(_ id: MemberID) -> Bool {
    guard let link = links.values.first(where: { $0.id == id && $0.isUp && !$0.isPausing }) else {
      return false
    }
    link.connection?.send(.drain) { _ in }
    return true
  }

  // MARK: Hearing

  private func heard(_ bytes: [UInt8], _ link: Link, at place: Int) {
    guard let batch = PeerBatch(bytes, from: .owning, server.core.configuration.scan) else {
      tell(link, "it says what no member says")
      return end(link, at: place)
    }
    link.mail.add(batch)
    hear(link, at: place)
  }

  private func heardPong(_ bytes: [UInt8], _ link: Link, at place: Int) {
    if link.isPausing {
      link.isPausing = false
      server.now()
      server.core.placeIsUp(place)
    }
    var reader = WireReader(bytes)
    guard let sentAt: Int64 = reader.read(), let remaining: Int64 = reader.read(),
      // It is the other's answer to what this one has asked: no time of another's counts.
      sentAt <= BootClock.nowMilliseconds, (0...Self.mostRemaining).contains(remaining)
    else { return }
    link.mail.extend(until: sentAt + remaining)
    hear(link, at: place)
  }

  /// No permit is longer.
  private static let mostRemaining: Int64 = 60_000

  /// What the member's own loop with partitions has said in one of the member's lives.
  func heardOwn(_ batch: PeerBatch, inLife life: Int, from place: Int) {
    lookAtLife(place)
    guard life == ownLife else { return }
    ownMail.add(batch)
    hearOwn(from: place)
  }

  /// The member has been declared dead since: its own loop has forgotten what it was asked.
  private func lookAtLife(_ place: Int) {
    let life = gate.life
    guard life != ownLife else { return }
    ownLife = life
    ownMail.forget()
    server.now()
    server.core.placeHasForgotten(place)
  }

  private func hear(_ link: Link, at place: Int) {
    guard !link.mail.isEmpty else { return }
    server.now()
    while let batch = link.mail.take(at: BootClock.nowMilliseconds) { server.heard(batch, from: place) }
  }

  private func hearOwn(from place: Int) {
    guard !ownMail.isEmpty else { return }
    ownMail.extend(until: gate.isOver ? .max : gate.until)
    server.now()
    while let batch = ownMail.take(at: BootClock.nowMilliseconds) { server.heard(batch, from: place) }
  }

  // MARK: Time

  private func tick() {
    timer?.start(afterMilliseconds: Self.tickMilliseconds)
    let now = BootClock.nowMilliseconds
    if let place = server.links?.place.owner {
      lookAtLife(place)
      hearOwn(from: place)
    }
    for place in links.keys.sorted() {
      guard let link = links[place] else { continue }
      if let connection = link.connection {
        look(at: link, connection, place, now)
      } else {
        let pause = link.attempt == nil ? Self.pauseMilliseconds : Self.connectMilliseconds
        if now - link.pingedAt >= pause { connectAnew(link, place) }
      }
      hear(link, at: place)
    }
  }

  private func connectAnew(_ link: Link, _ place: Int) {
    guard let attempt = link.attempt else { return connect(place) }
    link.pingedAt = BootClock.nowMilliseconds
    attempt.giveUp()
  }

  private func look(at link: Link, _ connection: PeerConnection, _ place: Int, _ now: Int64) {
    if link.isUp, now - link.pingedAt >= Self.pingMilliseconds { ping(link) }
    let verdict = link.silence.verdict(
      receivedByteCount: connection.receivedByteCount, at: now, mayAct: now < gate.until || gate.isOver)
    if verdict != .answers, link.isUp, !link.isPausing {
      link.isPausing = true
      server.core.placePauses(place)
    }
    guard verdict == .isOver else { return }
    tell(link, "it has not answered for \(AnswerSilence.longestMilliseconds) ms")
    end(link, at: place)
  }
}

@available(*, unavailable)
extension AskingLinks: Sendable {}
