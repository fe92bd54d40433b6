import JSONRPC

/// Invariant 1: a request with an id gets exactly one reply while its connection lives, a notification none, and nothing
/// comes after the connection was closed.
extension Oracle {
  /// Nothing comes after the connection was closed.
  static let writtenBehindTheEnd = "invariant 1: bytes were written to a closed connection"

  /// Every reply must have come.
  func expectAllAnswered(_ client: Int, because reason: String) {
    for number in clients[client].requests
    where records[number].isOwed && !records[number].mayBeAbandoned && !mayHaveHeardAsNobodys(number) {
      complain("invariant 1: request \(number) got no reply, \(reason)")
    }
    for (code, due) in clients[client].nullsDue where clients[client].nullsHeard[code, default: 0] < due {
      complain("invariant 1: client \(client) is owed \(code) for what was no request, \(reason)")
    }
  }

  /// Whether a refusal with an id of null, which was taken for that of its client, may have been this request's.
  private func mayHaveHeardAsNobodys(_ number: Int) -> Bool {
    let heard = clients[records[number].client].nullsHeard
    return Int(records[number].request.idForm) == Spelling.nullID
      && heard[RPCError.unauthenticated.code, default: 0] > 0
  }

  mutating func heardNull(_ code: Int, by client: Int) {
    coverage.count(ReplyView.Phase.none, .none, code: code)
    clients[client].nullsHeard[code, default: 0] += 1
    let ofHalf = clients[client].mayHearOfHalf && code == RPCError.parseError.code ? 1 : 0
    let allowed = clients[client].nullsAllowed[code, default: 0] + ofHalf
    expect(
      clients[client].nullsHeard[code, default: 0] <= allowed,
      "invariant 1: client \(client) got \(code) with an id of null once too often")
  }

  /// The request that this reply is for: the first with this id that has no reply yet.
  mutating func request(of reply: ReplyView, in bytes: [UInt8], by client: Int, inBatch: Bool) -> Int? {
    let id = bytes[reply.id]
    if id.elementsEqual("null".utf8) {
      let number = owedNull(by: client, inBatch: inBatch)
      if number == nil {
        complain("invariant 1: client \(client) got a reply with an id of null that nobody asked")
      }
      return number
    }
    guard var number = [UInt8].lastNumber(in: id), number < records.count else {
      complainOfUnknownID(id, to: client)
      return nil
    }
    let first = number
    while number != 0 {
      if isOwed(number, by: client, inBatch: inBatch) {
        return checkID(number, id) ? number : nil
      }
      number = records[number].nextTwin
    }
    complain("invariant 1: client \(client) got a reply too many to request \(first)")
    return nil
  }

  /// The first request with an id of null that is owed a reply.
  private func owedNull(by client: Int, inBatch: Bool) -> Int? {
    clients[client].requests.first {
      isOwed($0, by: client, inBatch: inBatch) && Int(records[$0].request.idForm) == Spelling.nullID
    }
  }

  private func isOwed(_ number: Int, by client: Int, inBatch: Bool) -> Bool {
    let record = records[number]
    return record.isOwed && record.client == client && (record.batch >= 0) == inBatch
  }
}
