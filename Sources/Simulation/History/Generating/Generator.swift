import GatewayCore
import HotData
import TaskStore

/// Makes a seed's history up as it goes: what happens next depends on what the world shows.
struct Generator {
  let knobs: Knobs
  var random: SplitMix64
  private var followUp: Action?
  /// The client that last authenticated in the turn in which it was revoked.
  private var insistent = -1
  private var nextClient = 0
  var nextNumber = 1
  /// Requests of late, for cancels and for taken ids.
  private(set) var recent: [(client: Int, request: Request)] = []
  var nextQuestion = 1
  /// Requests of upstreams of late.
  private(set) var recentQuestions: [(link: Int, question: Question)] = []
  /// The newest request of each key.
  private(set) var newest = [Request?](repeating: nil, count: Spelling.keys.count)

  private let stepCount: Int
  private var step = 0

  /// - Parameter steps: how long the history is to be; the gateway drains towards its end.
  init(seed: UInt64, steps: Int) {
    stepCount = max(1, steps)
    random = SplitMix64(seed: seed)
    knobs = Knobs(using: &random)
  }

  /// For another member of the same cluster: by the same knobs, but something else.
  init(_ other: Generator, seed: UInt64) {
    stepCount = other.stepCount
    random = SplitMix64(seed: seed)
    knobs = other.knobs
  }

  mutating func next(_ world: borrowing World) -> Step {
    step += 1
    let planned = operatorAction ?? followUp
    let insistence = planned == nil ? insistence(world) : nil
    let action = planned ?? insistence ?? action(world)
    followUp = nil
    if random.below(100) < knobs.promptness || insistence != nil { followUp = consequence(of: action) }
    let flushesEarly = random.oneIn(knobs.oneInFlushesEarly)
    let isOpen = insistence != nil || knobs.insists && mayRevoke(action)
    let holdsTurn = random.oneIn(knobs.oneInHoldsTurn) || isOpen
    return Step(action, flushesEarly: flushesEarly && insistence == nil, endsTurn: !holdsTurn)
  }

  /// A client that has just been revoked authenticates before it hears of that.
  private mutating func insistence(_ world: borrowing World) -> Action? {
    guard knobs.insists, world.turnIsOpen else { return nil }
    let revoked = world.clients.open.first { world.oracle.clients[$0].isRevoked && $0 != insistent }
    guard let revoked else { return nil }
    insistent = revoked
    let token = random.below(Population.tokens)
    return .send(client: revoked, .authenticate(number: takeNumber(), token: token))
  }

  /// Whether it may revoke a principal's credential.
  private func mayRevoke(_ action: Action) -> Bool {
    switch action {
    case .reconfigure, .pass: true
    default: false
    }
  }

  private var operatorAction: Action? {
    guard knobs.drainsAt < 100 else { return nil }
    let stepsSince = step - stepCount * knobs.drainsAt / 100
    return stepsSince == 0 ? .drain : stepsSince == knobs.shutsDownAfter ? .shutDown : nil
  }

  /// What was sent arrives.
  private func consequence(of action: Action) -> Action? {
    switch action {
    case .send(let client, _): .deliver(client: client, bytes: Action.everything)
    case .finish(let client, _), .connectSecurely(let client, _, _, _, _), .cutOff(let client),
      .alter(let client, _), .changeKeys(let client):
      .deliver(client: client, bytes: Action.everything)
    case .answer(let link, _, _), .utter(let link, _), .ask(let link, _):
      .deliverAnswers(link: link, bytes: Action.everything)
    default: nil
    }
  }

  private mutating func action(_ world: borrowing World) -> Action {
    if let client = world.clients.greeting.last, !random.oneIn(4) { return handshakeAction(client) }
    let kind = random.pick(knobs.kinds)
    switch kind {
    case .connect:
      if world.clients.open.count < knobs.mostClients || random.oneIn(30) { return connect() }
    case .accept, .refuse, .cut, .result, .error, .both, .tooLong, .tooDeep, .fractionalID, .stringID,
      .nullID, .nonsense,
      .failSent, .failUnsent, .failUntried, .take, .question, .tell, .takeQuestionBack, .progress, .noise,
      .deliverAnswers, .readUpstream:
      if let action = upstreamAction(kind, world) { return action }
    case .pass: return .pass(milliseconds: random.pick(knobs.pauses))
    case .passToNextTimer: return .passToNextTimer
    case .goOn: return .goOn
    case .reconfigure where random.oneIn(4): return .reconfigure(random.below(knobs.configurations.count))
    default: break
    }
    return clientAction(kind, world)
  }

  private mutating func connect() -> Action {
    nextClient += 1
    // Most are users: several connections of one principal should be there at once.
    let user =
      random.oneIn(4)
      ? Population.users + nextClient % Population.principals : nextClient % Population.users
    let listener = random.oneIn(4) ? 1 : 0
    let room = random.pick(knobs.rooms)
    let framing = random.pick(knobs.framings)
    if knobs.oneInSecure < .max, random.oneIn(knobs.oneInSecure) {
      return .connectSecurely(client: nextClient - 1, listener: listener, room: room, framing, user: user)
    }
    return .connect(client: nextClient - 1, listener: listener, room: room, framing, user: user)
  }

  /// A client's next step in its handshake: mostly to go on with it.
  private mutating func handshakeAction(_ client: Int) -> Action {
    switch random.below(24) {
    case 0: .reset(client: client)
    case 1: .cutOff(client: client)
    case 2: .alter(client: client, place: 0)
    case 3...8: .send(client: client, .request(request(from: client, isNotification: false)))
    default: .deliver(client: client, bytes: random.pick(knobs.pieces))
    }
  }

  private mutating func clientAction(_ kind: Action.Kind, _ world: borrowing World) -> Action {
    guard !world.clients.open.isEmpty else { return connect() }
    let client = random.pick(world.clients.open)
    switch kind {
    case .finish where random.oneIn(4): return .finish(client: client, isMidMessage: random.oneIn(3))
    case .reset where random.oneIn(4): return .reset(client: client)
    case .resetLate where random.oneIn(4): return .resetLate(client: client)
    case .read where world.network.inboxes[client].room < Action.everything:
      return .read(client: client, bytes: random.pick([1, 100, 3_000]))
    case .reply:
      if let reply = reply(of: client, world) { return .send(client: client, reply) }
    case .malformed where world.clients.all[client].sentCount == 0 && random.oneIn(4):
      return .send(client: client, .malformed(number: takeNumber(), index: MalformedMessage.otherProtocol))
    case .request, .notification, .cancelRequest, .cancelledNotification, .cancelByID, .cancelByKey,
      .cancelByGroup, .inspect, .authenticate, .malformed:
      if let message = message(kind, from: client) { return .send(client: client, message) }
    case .batch: return .send(client: client, batch(from: client))
    case .evict where random.oneIn(4): return .evict(client: client)
    case .cutOff where random.oneIn(4): return .cutOff(client: client)
    case .alter where random.oneIn(4): return .alter(client: client, place: random.below(100))
    case .changeKeys: return .changeKeys(client: client)
    case .deliverLate: return .deliverLate(client: client, bytes: random.pick(knobs.pieces))
    default: break
    }
    return .deliver(client: client, bytes: random.pick(knobs.pieces))
  }

  mutating func remember(_ request: Request, of client: Int) {
    if recent.count == Self.recentRequests { recent.removeFirst() }
    recent.append((client, request))
    if request.likelyKey >= 0 { newest[Int(request.likelyKey)] = request }
  }

  mutating func remember(_ question: Question, of link: Int) {
    nextQuestion += 1
    guard question.kind == .request else { return }
    if recentQuestions.count == Self.recentRequests { recentQuestions.removeFirst() }
    recentQuestions.append((link, question))
  }

  private static let recentRequests = 24
}
