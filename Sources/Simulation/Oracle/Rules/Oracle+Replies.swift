import GatewayCore
import JSONRPC

/// What clients are sent.
extension Oracle {
  /// A client hears a message.
  mutating func heard(_ message: Range<Int>, in bytes: [UInt8], by client: Int) {
    if bytes[message.lowerBound] == UInt8(ascii: "[") {
      heardBatch(message, in: bytes, by: client)
    } else {
      heardAlone(message, in: bytes, by: client)
    }
  }

  private mutating func heardAlone(_ message: Range<Int>, in bytes: [UInt8], by client: Int) {
    guard let number = heard(message, in: bytes, by: client, inBatch: false),
      let reply = ReplyView(message, in: bytes.span)
    else { return }
    records[number].isResult = reply.code == 0
    checkOrder(of: reply, to: number, by: client)
    if reply.supersededBy > 0 { noteSurelyStale(number) }
  }

  /// Returns whose reply it was, if that is known.
  mutating func heard(_ message: Range<Int>, in bytes: [UInt8], by client: Int, inBatch: Bool) -> Int? {
    guard let reply = ReplyView(message, in: bytes.span) else {
      heardRelay(bytes[message], by: client)
      return nil
    }
    if bytes[reply.id].elementsEqual("null".utf8), isOfNoRequest(reply, to: client) {
      let isOfHTTP = reply.code == RPCError.parseError.code && clients[client].speaksHTTP
      expect(!isOfHTTP || clients[client].mayHearOfHalf, "client \(client) spoke HTTP, and got JSON")
      heardNull(inBatch && isTooLarge(reply) ? RPCError.invalidRequest.code : reply.code, by: client)
      return nil
    }
    guard let number = request(of: reply, in: bytes, by: client, inBatch: inBatch) else { return nil }
    records[number].isReplied = true
    if !inBatch { expectPieces(before: reply, to: number) }
    noteTwinAnswered(number)
    coverage.count(reply.phase, reply.upstream, code: reply.code)
    if inBatch && isTooLarge(reply) { return number }
    judge(reply, to: number, in: bytes)
    return number
  }

  /// Of twins nobody knows which has been answered: one that counts as answered from now on may still be open, and is
  /// not asked about when its client leaves. So the earliest time at which the task of any may be left is now.
  private mutating func noteTwinAnswered(_ number: Int) {
    guard records[number].request.isTwin || records[number].nextTwin != 0 else { return }
    var twin = records[number].request.idNumber
    while twin != 0 {
      if records[twin].client == records[number].client { noteMayHaveLeft(records[twin].task) }
      twin = records[twin].nextTwin
    }
  }

  /// An answer for which there was no room in its batch says so instead.
  private func isTooLarge(_ reply: ReplyView) -> Bool {
    reply.code == RPCError.tooLarge.code && bounds.batchReplyBytes < World.tightBytes
  }

  private static let nullCodes = [-32700, -32600, -32086]

  /// Whether an error with an id of null is about no request, as far as anybody can tell.
  private func isOfNoRequest(_ reply: ReplyView, to client: Int) -> Bool {
    let isForLeaving = reply.code == RPCError.unauthenticated.code || reply.code == RPCError.shuttingDown.code
    return isForLeaving ? mayHear(reply.code, client) : Self.nullCodes.contains(reply.code)
  }

  /// Whether a client may hear this error once more with an id of null.
  func mayHear(_ code: Int, _ client: Int) -> Bool {
    clients[client].nullsHeard[code, default: 0] < clients[client].nullsAllowed[code, default: 0]
  }

  func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// From `start` on there is the gateway's answer to HTTP instead of a message; returns where that answer ends.
  mutating func heardHTTP(from start: Int, in bytes: ArraySlice<UInt8>, by client: Int) -> Int? {
    let answer = GatewayCore.answerToHTTP.utf8
    guard clients[client].speaksHTTP, bytes[start...].starts(with: answer) else { return nil }
    coverage.count(.answeredHTTP)
    heardNull(RPCError.parseError.code, by: client)
    return start + answer.count
  }

  /// From now on a client may be given up. What it sends after that may never be read.
  mutating func mayBeGivenUpInMessage(_ client: Int) {
    guard !clients[client].mayHearOfHalf else { return }
    clients[client].parseErrorsBeforeHalf = clients[client].nullsDue[RPCError.parseError.code, default: 0]
  }

  /// Whether a client that was given up was told of more than what it had sent to its end.
  func hasHeardOfHalf(_ client: Int) -> Bool {
    guard let before = clients[client].parseErrorsBeforeHalf else { return false }
    return clients[client].nullsHeard[RPCError.parseError.code, default: 0] > before
  }

  /// A message of a client has no end: it hears so.
  mutating func isOwedParseError(_ client: Int) {
    let code = RPCError.parseError.code
    clients[client].nullsAllowed[code, default: 0] += 1
    clients[client].nullsDue[code, default: 0] += 1
  }

  private mutating func judge(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    switch records[number].duty {
    case .request:
      if isRefusal(reply, of: number) { return }
      if reply.code == 0 {
        noteTaken(number)
        judgeResult(reply, to: number, in: bytes)
      } else {
        judgeError(reply, to: number, in: bytes)
      }
    case .malformed(let index): judgeFixed(reply, MalformedMessage.all[index], number, in: bytes)
    case .cancelCount(let limit): judgeCount(reply, atMost: limit, number, in: bytes)
    case .refusal(let code): expect(reply.code == code, "message \(number) got \(reply.code), not \(code)")
    case .authentication(let token): judgeAuthentication(reply, token, number, in: bytes)
    case .inspection(let lanes): judgeInspection(reply, of: lanes, number, in: bytes)
    }
  }

  /// Whether the reply refuses the request for what it says; a request that must be refused is refused.
  private func isRefusal(_ reply: ReplyView, of number: Int) -> Bool {
    let isRefusal = Terms.Refusal.codes.contains(reply.code)
    let refusal = records[number].terms.refusal
    let isRight = (isRefusal ? reply.code : nil) == refusal?.code || !records[number].isClear
    expect(isRight, "request \(number) got \(reply.code); to be refused: \(refusal.map { "\($0)" } ?? "no")")
    return isRefusal
  }

  // MARK: Answers of upstream

  mutating func judge(
    _ index: Int, isError: Bool, to number: Int, _ template: Template, _ bytes: ArraySlice<UInt8>
  ) {
    let answer = answers[index]
    let record = records[number]
    expectUnchanged(index, to: number, template, bytes)
    expectFirst(index, to: number)
    expect(
      answer.isError == isError, "answer \(index), a \(answer.kind), reached request \(number) as another")
    if record.batch < 0 { checkOrder(of: answer) }
    guard record.isClear else { return }
    let deadline = record.latestDeadlineMilliseconds
    // What is due at once is due when the clock next moves.
    let isInTime = answer.handedMilliseconds < max(deadline, record.handledMilliseconds + 1)
    expect(isInTime, "request \(number) was answered after its deadline")
    guard record.task >= 0 else {
      return complain("request \(number) was answered though it was never open")
    }
    noteFollowing(number, to: answer.task)
    expectOwnAnswer(index, to: number)
    noteDelivery(of: records[number].task, answer)
  }
}
