import GatewayCore
import JSONRPC

/// Messages on their way.
extension Oracle {
  func options(ofListener listener: Int) -> ListenerOptions {
    listener < configuration.listeners.count ? configuration.listeners[listener] : ListenerOptions()
  }

  mutating func knowClient(_ client: Int, listener: Int, _ framing: Framing, _ person: Person) {
    while clients.count <= client { clients.append(ClientView(clients.count)) }
    clients[client].listener = listener
    clients[client].framing = framing
    clients[client].kind = kind(of: client, framing)
    clients[client].options = options(ofListener: listener)
    // Nothing more comes of it anyway: that says nothing.
    if clients[client].kind == .exchange { clients[client].options.cancelsAtEnd = false }
    clients[client].person = person
    if case .known(let number) = person { clients[client].principal = number }
    clients[client].isThere = true
    joinSession(client)
    knowUpstreams(of: client)
  }

  /// What carries a client: now and then a WebSocket or a POST, where its messages are lines. A POST reaches no upstream
  /// that each client has for itself.
  func kind(of client: Int, _ framing: Framing) -> ClientKind {
    guard framing == .lines else { return .stream }
    return switch client % 5 {
    case 3: .messages
    case 2 where !numbering.hasPrivate, 4 where !numbering.hasPrivate: .exchange
    default: .stream
    }
  }

  /// Clients that count as connections.
  func connectionCount(_ clients: ClientTable) -> Int {
    clients.open.count { self.clients[$0].kind != .exchange }
  }

  private mutating func knowRecord(_ number: Int) {
    while records.count <= number { records.append(RecordView(request: Request(number: 0))) }
  }

  /// A client has sent this: from now on it may be answered.
  mutating func sent(_ message: Message, by client: Int) {
    switch message {
    case .request(let request): sent(request, by: client)
    case .cancelRequest, .cancelled, .reply, .items: break
    case .cancel(let number, _): note(number, by: client, .cancelCount(atMost: 0))
    case .inspect(let number, _): note(number, by: client, .inspection(lanes: []))
    case .authenticate(let number, _): note(number, by: client, .authentication(nil))
    case .malformed(let number, let index):
      note(number, by: client, .malformed(index))
      if case .errorToNull(let code) = MalformedMessage.all[index].reply {
        clients[client].nullsAllowed[code, default: 0] += 1
      }
    case .batch(let items):
      batches.append([])
      for item in items {
        sent(item, by: client)
        if let number = item.number { batches[batches.count - 1].append(number) }
      }
      for number in batches[batches.count - 1] { records[number].batch = batches.count - 1 }
      clients[client].hadBatches = true
      clients[client].nullsAllowed[RPCError.invalidRequest.code, default: 0] += 1
    }
  }

  private mutating func note(_ number: Int, by client: Int, _ duty: RecordView.Duty) {
    knowRecord(number)
    records[number].client = client
    records[number].request = Request(number: number)
    records[number].duty = duty
  }

  private mutating func sent(_ request: Request, by client: Int) {
    knowRecord(max(request.number, request.idNumber))
    records[request.number].request = request
    records[request.number].client = client
    if request.idNumber != request.number {
      records[request.number].nextTwin = records[request.idNumber].nextTwin
      records[request.idNumber].nextTwin = request.number
    }
    while asks.count <= request.ask { asks.append(AskView()) }
    asks[request.ask].form = request.form
    asks[request.ask].requestCount += 1
    asks[request.ask].request = request.number
  }
}

extension Message {
  /// The number of a message that may have a reply.
  fileprivate var number: Int? {
    switch self {
    case .request(let request): request.isNotification ? nil : request.number
    case .cancel(let number, _), .inspect(let number, _), .authenticate(let number, _),
      .malformed(let number, _):
      number
    case .cancelRequest, .cancelled, .reply, .batch, .items: nil
    }
  }
}
