import GatewayCore

/// What clients send.
extension Generator {
  /// Nil when there is nothing yet that such a message could be about.
  mutating func message(_ kind: Action.Kind, from client: Int) -> Message? {
    switch kind {
    case .request: return .request(request(from: client, isNotification: false))
    case .notification: return .request(request(from: client, isNotification: true))
    case .oddity: return .oddity(number: takeNumber(), index: random.below(Oddity.all.count))
    case .cancelByKey: return .cancel(number: takeNumber(), .key(label()))
    case .cancelByGroup: return .cancel(number: takeNumber(), .group(random.below(Spelling.groups.count)))
    case .inspect: return .inspect(number: takeNumber(), label())
    default: break
    }
    guard !recent.isEmpty else { return nil }
    // Mostly of its own: the requests of others are beyond its reach.
    let own = recent.filter { $0.client == client }
    let number = random.pick(own.isEmpty || random.oneIn(10) ? recent : own).request.number
    return kind == .cancelByID
      ? .cancel(number: takeNumber(), .id(of: number))
      : .cancelRequest(of: number, isRespelt: random.oneIn(4))
  }

  private static let batchKinds: [Action.Kind] = [
    .request, .request, .request, .request, .notification, .cancelRequest, .cancelByKey, .cancelByGroup,
    .inspect, .oddity,
  ]

  mutating func batch(from client: Int) -> Message {
    var items: [Message] = []
    for _ in 0...random.below(4) {
      guard let message = message(random.pick(Self.batchKinds), from: client), message.goesIntoBatch else {
        continue
      }
      items.append(message)
    }
    return items.isEmpty ? .request(request(from: client, isNotification: false)) : .batch(items)
  }

  private mutating func takeNumber() -> Int {
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
  /// It is JSON, and its answer can be told from that of a message which is no request.
  fileprivate var goesIntoBatch: Bool {
    switch self {
    case .oddity(_, let index): Oddity.all[index].isJSON
    case .request(let request): Int(request.idForm) != Spelling.nullID
    default: true
    }
  }
}
