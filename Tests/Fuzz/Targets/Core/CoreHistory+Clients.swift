import GatewayCore
import Identity
import JSONRPC

/// What clients do.
extension CoreHistory {
  private static let policies = [
    "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
  ]
  private static let options = [
    "", #","debounceMs":200"#, #","debounceMs":100,"maxWaitMs":300"#, #","timeoutMs":500"#, #","drainMs":50"#,
    #","scope":"connection""#, #","join":"identical""#, #","join":"never""#, #","maxStaleMs":100"#,
    #","group":"g""#, #","order":3"#, #","order":7"#, #","stream":true"#,
    #","stream":true,"pieceIdleMs":100"#, #","superseded":"follow""#,
    #","superseded":"follow","scope":"connection""#, #","superseded":"follow","stream":true"#,
  ]

  mutating func connectClient() {
    // The third is known, as one of the principals in turns, and the fourth has to say who it is.
    let place = clientsSoFar & 3
    let user = place & 1 == 1 ? Self.users[0] + 1 : Self.users[clientsSoFar >> 2 & 1]
    guard let id = core.clientConnected(listener: place >> 1, .user(user)) else { return }
    clients[clientsSoFar] = Client(id: id, framing: choices.one(of: Framing.allCases))
    clientsSoFar += 1
  }

  private mutating func someClient() -> Int? {
    if clients.isEmpty { connectClient() }
    return clients.isEmpty ? nil : choices.one(of: clients.keys.sorted())
  }

  /// One that still sends.
  private mutating func someSender() -> Int? {
    someClient().flatMap { clients[$0]?.hasEnded == false ? $0 : nil }
  }

  mutating func sendRequest() {
    guard let number = someSender() else { return }
    send(someRequest(), from: number)
  }

  mutating func sendBatch() {
    guard let number = someSender() else { return }
    let first = requests.count + 1
    let items = (0...choices.number(below: Self.batchItems)).map { _ in
      let request = someRequest()
      requests[requests.count + 1] = Asked(client: number)
      return request
    }
    let ids = first...requests.count
    for id in ids { requests[id]?.batch = ids }
    sendMessage("[\(zip(ids, items).map { $1($0) }.joined(separator: ",\r\n"))]", from: number)
  }

  /// A request that the gateway answers itself.
  mutating func sendOwnRequest() {
    guard let number = someSender() else { return }
    send(ownRequest(), from: number)
  }

  mutating func sendWildBytes() {
    guard let number = someSender() else { return }
    clients[number]?.isWild = true
    send(choices.bytes(), from: number)
  }

  /// A half-close or a reset.
  mutating func leave() {
    guard let number = someClient(), let client = clients[number] else { return }
    let choice = choices.byte()
    if choice & 1 == 0 {
      clients[number]?.hasEnded = true
      core.clientEnded(client.id)
    } else {
      clients[number] = nil
      sink.toClients[client.id.slot] = nil
      if choice & 2 == 0 { core.clientDisconnected(client.id) } else { core.putOffEnd(of: client.id) }
    }
  }

  mutating func holdBack() {
    sink.room = choices.number(below: 256)
    isHoldingBack = true
  }

  mutating func makeRoom() {
    sink.room = .max
    isHoldingBack = false
    for client in clients.values { core.clientBecameWritable(client.id) }
    if isConnected { core.upstreamBecameWritable(Self.upstream) }
  }
}

/// The texts that clients send.
extension CoreHistory {
  private typealias Request = (_ id: Int) -> String

  private mutating func someRequest() -> Request {
    let shape = choices.byte()
    let policy = Self.policies[Int(shape) % Self.policies.count]
    let method = shape & 0x20 == 0 ? "m" : "join"
    let intent = #""task":{"key":"\#(shape & 1)","policy":"\#(policy)"\#(option(of: shape))}"#
    let usual = "[\(shape & 2 == 0 ? "" : "\r\n")\(shape & 2)]"
    // Its token is its id, by which whoever hears of it knows it.
    let call = { (id: Int) in
      let params = shape & 0x10 == 0 ? usual : #"{"workDoneToken":\#(id)}"#
      return #""method":"\#(method)","params":\#(params)"#
    }
    switch shape >> 6 {
    case 0: return { #"{"jsonrpc":"2.0","id":\#($0),\#(call($0)),\#(intent)}"# }
    case 1:
      return { #"{"jsonrpc":"2.0","id":\#($0),"method":"lastword.call","params":{\#(call($0)),\#(intent)}}"# }
    default: return { #"{"jsonrpc":"2.0","id":\#($0),\#(call($0))}"# }
    }
  }

  private mutating func option(of shape: UInt8) -> String {
    shape < 0x80 ? choices.one(of: Self.options) : ""
  }

  private mutating func ownRequest() -> Request {
    let target = choices.number(below: requests.count + 1)
    let (method, params) =
      switch choices.number(below: 7) {
      case 0: ("$/cancelRequest", #"{"id":\#(target)}"#)
      case 1: ("lastword.cancel", #"{"id":\#(target)}"#)
      case 2 where target & 1 == 1: ("lastword.cancel", #"{"group":"g","scope":"principal"}"#)
      case 2: ("lastword.cancel", #"{"group":"g"}"#)
      case 3: ("lastword.cancel", #"{"key":"1"}"#)
      case 4: ("lastword.cancel", #"{"key":"0","scope":"connection"}"#)
      case 5: ("lastword.inspect", #"{"key":"0"}"#)
      case 6 where target & 3 == 3: ("lastword.authenticate", #"{"token":"\#(Self.tokens[0])"}"#)
      case 6 where target & 3 == 1: ("lastword.authenticate", #"{"token":"\#(Self.tokens[1])"}"#)
      case 6 where target & 3 == 2: ("lastword.authenticate", #"{"token":"x"}"#)
      default: ("lastword.ping", "[]")
      }
    return { #"{"jsonrpc":"2.0","id":\#($0),"method":"\#(method)","params":\#(params)}"# }
  }

  private mutating func send(_ request: Request, from number: Int) {
    let id = requests.count + 1
    requests[id] = Asked(client: number)
    sendMessage(request(id), from: number)
  }

  private mutating func sendMessage(_ text: String, from number: Int) {
    switch clients[number]?.framing {
    case .lines: send(text.utf8.filter { $0 != 0x0A } + [0x0A], from: number)
    case .contentLength: send(Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8), from: number)
    case nil: break
    }
  }

  private mutating func send(_ bytes: [UInt8], from number: Int) {
    guard let client = clients[number] else { return }
    let padded = bytes + [UInt8](repeating: 0x22, count: JSONText.slackByteCount)
    core.received(padded.span, count: bytes.count, from: client.id)
  }
}
