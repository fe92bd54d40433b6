import GatewayCore
import JSONRPC

/// What clients send.
extension Generator {
  /// Nil when there is nothing yet that such a message could be about.
  mutating func message(_ kind: Action.Kind, from client: Int) -> Message? {
    switch kind {
    case .request: return .request(request(from: client, isNotification: false))
    case .notification: return .request(request(from: client, isNotification: true))
    case .malformed: return .malformed(number: takeNumber(), index: random.below(MalformedMessage.all.count))
    case .cancelByKey: return .cancel(number: takeNumber(), .key(label()))
    case .cancelByGroup:
      let group = random.below(Spelling.groups.count)
      var aside = random
      return .cancel(number: takeNumber(), .group(group, isOfPrincipal: aside.oneIn(3)))
    case .authenticate:
      return .authenticate(number: takeNumber(), token: random.below(Population.tokens))
    case .inspect: return .inspect(number: takeNumber(), label())
    default: break
    }
    guard !recent.isEmpty else { return nil }
    // Mostly of its own: the requests of others are beyond its reach.
    let own = recent.filter { $0.client == client }
    let number = random.pick(own.isEmpty || random.oneIn(10) ? recent : own).request.number
    if kind == .cancelByID { return .cancel(number: takeNumber(), .id(of: number)) }
    let isRespelt = random.oneIn(4)
    return kind == .cancelRequest
      ? .cancelRequest(of: number, isRespelt: isRespelt)
      : .cancelled(number: takeNumber(), of: number, isRespelt: isRespelt)
  }

  /// An answer to what the client was asked, or, now and then, to what it was not.
  mutating func reply(of client: Int, _ world: borrowing World) -> Message? {
    let asked = world.oracle.clients[client].asked
    let open = asked.indices.filter { world.oracle.questions[asked[$0]].isOpen }
    guard !asked.isEmpty else { return nil }
    let isFlat = world.oracle.clients[client].framing == .lines
    let form = random.below(Spelling.results.count)
    let reply = Message.Reply(
      kind: random.oneIn(4) ? random.pick(Message.Reply.Kind.allCases) : .result,
      form: isFlat && Spelling.brokenResults.contains(form) ? 0 : form)
    let given = open.isEmpty || random.oneIn(10) ? random.below(asked.count + 2) : random.pick(open) + 1
    return .reply(to: given, reply)
  }

  private static let batchKinds: [Action.Kind] = [
    .request, .request, .request, .request, .notification, .cancelRequest, .cancelledNotification,
    .cancelByKey, .cancelByGroup,
    .inspect, .malformed,
  ]

  mutating func batch(from client: Int) -> Message {
    var items: [Message] = []
    for _ in 0...random.below(4) {
      guard let message = message(random.pick(Self.batchKinds), from: client), message.goesIntoBatch else {
        continue
      }
      items.append(message.whole)
    }
    return items.isEmpty ? .request(request(from: client, isNotification: false)) : .batch(items)
  }

  mutating func takeNumber() -> Int {
    nextNumber += 1
    return nextNumber - 1
  }

  private mutating func label() -> Message.Label {
    Message.Label(key: max(0, random.pick(knobs.keys)), scope: scope())
  }

  mutating func scope() -> ListenerOptions.Scope? {
    guard random.oneIn(knobs.oneInScoped) else { return nil }
    return random.oneIn(3) ? .shared : .connection
  }
}

extension Message {
  /// Its answer does not come in pieces.
  fileprivate var whole: Message {
    guard case .request(var request) = self else { return self }
    (request.streams, request.pieceIdleMilliseconds) = (false, nil)
    return .request(request)
  }

  /// It is JSON, and its answer can be told from that of a message which is no request.
  fileprivate var goesIntoBatch: Bool {
    switch self {
    case .malformed(_, let index): MalformedMessage.all[index].isJSON
    case .request(let request): Int(request.idForm) != Spelling.nullID
    default: true
    }
  }
}
