import GatewayCore
import JSONRPC

/// What clients are sent.
extension Oracle {
  /// A client hears a message.
  mutating func heard(_ message: Range<Int>, in bytes: [UInt8], by client: Int) {
    if bytes[message.lowerBound] == UInt8(ascii: "[") {
      heardBatch(message, in: bytes, by: client)
    } else {
      _ = heard(message, in: bytes, by: client, inBatch: false)
    }
  }

  /// Returns whose reply it was, if that is known.
  mutating func heard(_ message: Range<Int>, in bytes: [UInt8], by client: Int, inBatch: Bool) -> Int? {
    guard let reply = ReplyView(message, in: bytes.span) else {
      heardRelay(bytes[message], by: client)
      return nil
    }
    if bytes[reply.id].elementsEqual("null".utf8), Self.nullCodes.contains(reply.code) {
      heardNull(inBatch && isTooLarge(reply) ? RPCError.invalidRequest.code : reply.code, by: client)
      return nil
    }
    guard let number = request(of: reply, in: bytes, by: client, inBatch: inBatch) else { return nil }
    records[number].isReplied = true
    coverage.count(reply.phase, reply.upstream, code: reply.code)
    if inBatch && isTooLarge(reply) { return number }
    judge(reply, to: number, in: bytes)
    return number
  }

  /// An answer for which there was no room in its batch says so instead.
  private func isTooLarge(_ reply: ReplyView) -> Bool {
    reply.code == RPCError.tooLarge.code && bounds.batchReplyBytes < World.tightBytes
  }

  private static let nullCodes = [-32700, -32600, -32086]

  func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private mutating func heardNull(_ code: Int, by client: Int) {
    coverage.count(ReplyView.Phase.none, .none, code: code)
    clients[client].nullsHeard[code, default: 0] += 1
    let isAllowed =
      clients[client].nullsHeard[code, default: 0] <= clients[client].nullsAllowed[code, default: 0]
    expect(isAllowed, "invariant 1: client \(client) got \(code) with an id of null once too often")
  }

  /// Whose reply this is: the first that is owed one, where several have this id.
  private mutating func request(of reply: ReplyView, in bytes: [UInt8], by client: Int, inBatch: Bool) -> Int?
  {
    let id = bytes[reply.id]
    if id.elementsEqual("null".utf8) {
      let number = owedNull(by: client, inBatch: inBatch)
      if number == nil {
        complain("invariant 1: client \(client) got a reply with an id of null that nobody asked")
      }
      return number
    }
    guard var number = [UInt8].lastNumber(in: id), number < records.count else {
      complain("invariant 7: client \(client) got a reply to an id that it never used: \(text(id))")
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

  private mutating func checkID(_ number: Int, _ id: ArraySlice<UInt8>) -> Bool {
    scratch.removeAll(keepingCapacity: true)
    records[number].request.appendID(to: &scratch)
    let isSame = scratch.elementsEqual(id)
    expect(isSame, "invariant 7: the id of request \(number) came back as \(text(id))")
    return isSame
  }

  private mutating func judge(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    switch records[number].duty {
    case .request:
      if isRefusal(reply, of: number) { return }
      if reply.code == 0 {
        judgeResult(reply, to: number, in: bytes)
      } else {
        judgeError(reply, to: number, in: bytes)
      }
    case .oddity(let index): judgeFixed(reply, Oddity.all[index], number, in: bytes)
    case .cancelCount(let limit): judgeCount(reply, atMost: limit, number, in: bytes)
    case .inspection(let lane): judgeInspection(reply, of: lane, number, in: bytes)
    }
  }

  /// Whether it was refused for what it says; whoever must be refused is.
  private func isRefusal(_ reply: ReplyView, of number: Int) -> Bool {
    let isRefusal = reply.code == RPCError.invalidParams.code
    let refusal = records[number].terms.refusal
    let isRight = isRefusal == (refusal != nil) || !records[number].isClear
    expect(isRight, "request \(number) got \(reply.code); to be refused: \(refusal.map { "\($0)" } ?? "no")")
    return isRefusal
  }

  // MARK: Answers of upstream

  /// How results are spelt for whoever asked this.
  private func results(for number: Int) -> [Template] {
    clients[records[number].client].framing == .lines ? Spelling.flatResults : Spelling.results
  }

  private mutating func judgeResult(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    guard let answer = [UInt8].firstNumber(in: bytes[reply.result]), answer < answers.count else {
      return complain("invariant 7: request \(number) got a result that upstream never gave")
    }
    judge(answer, isError: false, to: number, results(for: number)[answers[answer].form], bytes[reply.result])
    coverage.count(records[number].policy, .delivered)
  }

  mutating func judgeUpstreamError(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    guard reply.answer >= 0, reply.answer < answers.count else {
      return complain("invariant 7: request \(number) got an error that upstream never gave")
    }
    judge(reply.answer, isError: true, to: number, Spelling.error, bytes[reply.error])
    coverage.count(records[number].policy, .failed)
  }

  private mutating func judge(
    _ index: Int, isError: Bool, to number: Int, _ template: Template, _ bytes: ArraySlice<UInt8>
  ) {
    let answer = answers[index]
    let record = records[number]
    expect(template.matches(index, bytes), "invariant 7: answer \(index) reached request \(number) changed")
    expect(
      answer.isFirst, "invariant 13: answer \(index), late or double or foreign, reached request \(number)")
    expect(
      answer.isError == isError, "answer \(index), a \(answer.kind), reached request \(number) as another")
    if record.batch < 0 { checkOrder(of: answer) }
    guard record.isClear else { return }
    let deadline = record.deadlineMilliseconds
    // What is due at once is due when the clock next moves.
    let isInTime = answer.handedMilliseconds < max(deadline, record.handledMilliseconds + 1)
    expect(isInTime, "request \(number) was answered after its deadline")
    guard record.task >= 0 else {
      return complain("request \(number) was answered though it was never open")
    }
    expect(record.task == answer.task, "invariant 13: request \(number) got the answer to another's call")
    noteDelivery(of: record.task, answer)
  }
}
