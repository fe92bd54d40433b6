import GatewayCore
import JSONRPC

/// What clients hear.
extension CoreHistory {
  mutating func hear(_ number: Int, _ client: Client) throws(Violation) {
    guard let bytes = sink.toClients.removeValue(forKey: client.id.slot), !client.isWild else { return }
    for frame in try client.heard.read(bytes) {
      guard case .message(let message) = frame, client.heard.framing == client.framing else {
        throw Violation(description: "a reply is framed wrongly: \(frame)")
      }
      try hear(message, number)
    }
  }

  private mutating func hear(_ message: [UInt8], _ number: Int) throws(Violation) {
    let text = PaddedText(message)
    var ids: [Int] = []
    if text.scan() == .batch {
      var reader = ArrayReader(text.range)
      while let element = reader.next(in: text.bytes.span) {
        ids.append(try hearReply(text[element.value], number))
      }
      let asked = requests[ids.first ?? 0]?.batch.map(Array.init)
      try require(ids.sorted() == asked, "a batch's answer is not that of a batch: \(ids)")
    } else if isRevocation(text) {
      clients[number]?.isRevoked = true
    } else if try !isProgress(text, of: number), try !isPiece(text, of: number) {
      let id = try hearReply(message, number)
      try require(requests[id]?.batch == nil, "\(id) was asked in a batch")
    }
  }

  /// Whether it says that its client is not known any more, which takes back all that it asked.
  private func isRevocation(_ text: PaddedText) -> Bool {
    var envelope = Envelope()
    guard text.scan(into: &envelope) == .message, envelope.isResponse, !envelope.error.isEmpty else {
      return false
    }
    return text[envelope.id].elementsEqual("null".utf8)
      && text[envelope.error].starts(with: #"{"code":\#(RPCError.unauthenticated.code),"#.utf8)
  }

  /// Whether it is some of an answer; if so it is of one that is still open, and that takes pieces.
  private func isPiece(_ text: PaddedText, of number: Int) throws(Violation) -> Bool {
    var envelope = Envelope()
    guard text.scan(into: &envelope) == .message, !envelope.isResponse else { return false }
    guard let piece = Piece(envelope, in: text.bytes.span),
      let id = JSONNumber.nonNegativeInteger(piece.id, in: text.bytes.span).flatMap(Int.init(exactly:)),
      let asked = requests[id]
    else { throw Violation(description: "a client hears what is neither a reply nor a piece") }
    try require(asked.client == number, "\(id)'s piece went to another client")
    try require(!asked.isAnswered && asked.batch == nil, "\(id) has a piece behind its reply, or in a batch")
    let isWhole = text[piece.value].contains(0x0D) == (clients[number]?.framing == .contentLength)
    try require(isWhole, "a piece's line break is lost or breaks a line")
    return true
  }

  /// Whether it is progress; if so it is of a request of this client that is still open, and had the token.
  private func isProgress(_ text: PaddedText, of number: Int) throws(Violation) -> Bool {
    var envelope = Envelope()
    guard text.scan(into: &envelope) == .message, !envelope.isResponse,
      JSONString.equals(envelope.method, in: text.bytes.span, "$/progress")
    else { return false }
    var members = ObjectReader(envelope.params)
    guard let token = members.next(in: text.bytes.span)?.value,
      let id = JSONNumber.nonNegativeInteger(token, in: text.bytes.span).flatMap(Int.init(exactly:)),
      let asked = requests[id]
    else { throw Violation(description: "a client hears progress by a token that is not its own") }
    try require(asked.client == number, "\(id)'s progress went to another client")
    try require(!asked.isAnswered && asked.batch == nil, "\(id) has progress behind its reply, or in a batch")
    return true
  }

  /// Returns whose reply it is.
  private mutating func hearReply(_ reply: [UInt8], _ number: Int) throws(Violation) -> Int {
    let text = PaddedText(reply)
    var envelope = Envelope()
    try require(text.scan(into: &envelope) == .message && envelope.isResponse, "a reply is none")
    let id = JSONNumber.nonNegativeInteger(envelope.id, in: text.bytes.span).flatMap(Int.init(exactly:))
    // Upstream's results have a line break between their tokens.
    let isUpstreamResult = !envelope.result.isEmpty && text[envelope.result].first == 0x5B
    let isWhole = reply.contains(0x0D) == (clients[number]?.framing == .contentLength)
    try require(!isUpstreamResult || isWhole, "a result's line break is lost or breaks a line")
    guard let id, let asked = requests[id] else { throw Violation(description: "a reply to nobody") }
    try require(asked.client == number, "\(id)'s reply went to another client")
    try require(!asked.isAnswered, "\(id) has a second reply")
    requests[id]?.isAnswered = true
    return id
  }

  /// The core has closed it: its number there may be another's soon.
  mutating func forgetClient(slot: Int) throws(Violation) {
    sink.toClients[slot] = nil
    for (number, client) in clients where client.id.slot == slot {
      clients[number] = nil
      let isOpen = requests.values.contains { $0.client == number && !$0.isAnswered }
      let isExcused = client.isWild || client.isRevoked || isHoldingBack
      try require(isExcused || !isOpen, "a client was closed without its answers")
    }
  }
}
