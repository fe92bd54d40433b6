import GatewayCore
import JSONRPC

/// What clients do and hear.
extension CoreHistory {
  private static let policies = [
    "cancel", "cancelAndWait", "wait", "concurrent", "preferPrevious", "keepLatest", "onAnswer",
  ]
  private static let options = [
    "", #","debounceMs":200"#, #","debounceMs":100,"maxWaitMs":300"#, #","timeoutMs":500"#, #","drainMs":50"#,
    #","scope":"connection""#, #","join":"identical""#, #","join":"never""#,
  ]

  mutating func connectClient() {
    guard let id = core.clientConnected(listener: 0) else { return }
    clients[clientsSoFar] = Client(id: id)
    clientsSoFar += 1
  }

  private mutating func someClient() -> Int? {
    if clients.isEmpty { connectClient() }
    return choices.one(of: clients.keys.sorted())
  }

  mutating func sendRequest() {
    guard let number = someClient(), clients[number]?.hasEnded == false else { return }
    let id = requests.count + 1
    requests[id] = Asked(client: number)
    let shape = choices.byte()
    let policy = Self.policies[Int(shape) % Self.policies.count]
    let key = shape & 0x80 == 0 ? #","task":{"key":"\#(shape & 1)","policy":"\#(policy)"\#(option())}"# : ""
    send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[\#(shape & 2)]\#(key)}"# + "\n", from: number)
  }

  private mutating func option() -> String { choices.one(of: Self.options) }

  mutating func sendCancel() {
    guard let number = someClient(), clients[number]?.hasEnded == false else { return }
    let id = choices.number(below: requests.count + 1)
    send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n", from: number)
  }

  mutating func sendWildBytes() {
    guard let number = someClient(), clients[number]?.hasEnded == false else { return }
    clients[number]?.isWild = true
    send(choices.bytes(), from: number)
  }

  private mutating func send(_ text: String, from number: Int) { send(Array(text.utf8), from: number) }

  private mutating func send(_ bytes: [UInt8], from number: Int) {
    guard let client = clients[number] else { return }
    let padded = bytes + [UInt8](repeating: 0x22, count: JSONText.slackByteCount)
    core.received(padded.span, count: bytes.count, from: client.id)
  }

  /// A half-close or a reset.
  mutating func leave() {
    guard let number = someClient(), let client = clients[number] else { return }
    if choices.byte() & 1 == 0 {
      clients[number]?.hasEnded = true
      core.clientEnded(client.id)
    } else {
      clients[number] = nil
      sink.toClients[client.id.slot] = nil
      core.clientDisconnected(client.id)
    }
  }

  mutating func makeRoom() {
    sink.room = .max
    for client in clients.values { core.clientBecameWritable(client.id) }
    if isConnected { core.upstreamBecameWritable(Self.upstream) }
  }

  /// The core has closed it: its number there may be another's soon.
  mutating func forgetClient(slot: Int) throws(Violation) {
    sink.toClients[slot] = nil
    for (number, client) in clients where client.id.slot == slot {
      clients[number] = nil
      let isOpen = requests.values.contains { $0.client == number && !$0.isAnswered }
      try require(client.isWild || !isOpen, "a client was closed without its answers")
    }
  }

  mutating func hear(_ number: Int, _ client: Client) throws(Violation) {
    if client.isWild { sink.toClients[client.id.slot] = nil }
    guard let heard = sink.toClients[client.id.slot], let end = heard.lastIndex(of: 0x0A) else { return }
    sink.toClients[client.id.slot] = Array(heard[(end + 1)...])
    for line in heard[...end].split(separator: 0x0A) { try hear(Array(line), number) }
  }

  private mutating func hear(_ line: [UInt8], _ number: Int) throws(Violation) {
    let text = PaddedText(line)
    var envelope = Envelope()
    try require(text.scan(into: &envelope) == .message && envelope.isResponse, "a reply is none")
    let id = JSONNumber.nonNegativeInteger(envelope.id, in: text.bytes.span).flatMap(Int.init(exactly:))
    guard let id, let asked = requests[id] else { throw Violation(description: "a reply to nobody") }
    try require(asked.client == number, "\(id)'s reply went to another client")
    try require(!asked.isAnswered, "\(id) has a second reply")
    requests[id]?.isAnswered = true
  }
}
