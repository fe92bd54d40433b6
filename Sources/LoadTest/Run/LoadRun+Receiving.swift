package import Client
package import JSONRPC
import LibUV

/// Handles replies.
extension LoadRun: ClientConnectionDelegate {
  package func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    let link = links[connection.token]
    let lane = link.lane
    if envelope.isNotification, gavePiece(envelope, in: bytes, over: link) { return }
    let number = envelope.isResponse ? JSONNumber.nonNegativeInteger(envelope.id, in: bytes) : nil
    guard link.connection != nil else {
      let code = envelope.error.isEmpty ? nil : RPCError.code(of: envelope.error, in: bytes)
      return heardOfLogin(connection, number: number, errorCode: code)
    }
    if let status = link.status {
      let code = envelope.error.isEmpty ? nil : RPCError.code(of: envelope.error, in: bytes)
      guard checkPost(link, number, status: status, errorCode: code) else { return }
    }
    guard let number, let request = oracle.take(number, on: lane) else {
      return violated(.unexpectedReply(number: number ?? 0), lane: lane, key: nil)
    }
    let now = PreciseTimer.nowNanoseconds
    if options.workload.pieces.count > 0, !options.isDirect { checkPieces(of: request, envelope, in: bytes) }
    if envelope.error.isEmpty {
      received(claims(of: envelope.result, in: bytes), request, now)
    } else {
      received(RPCError.code(of: envelope.error, in: bytes), request, now)
    }
    // The next POST waits for the response's end.
    if link.status == nil { sendNext(on: lane, now) }
  }

  package func connection(_ connection: ClientConnection, closed reason: String) {
    let link = links[connection.token]
    if options.isOfFleet, link.connection != nil, phase == .running || phase == .settling {
      return moved(link)
    }
    guard link.status != nil, link.connection != nil, !link.isBusy else {
      return fail("connection \(link.lane): \(reason)")
    }
    // A gateway ends a connection that is idle for long.
    connectAnew(link)
  }

  private func received(_ claims: ResultClaims, _ request: OpenRequest, _ now: UInt64) {
    trace.note(
      .result(arrival: claims.arrival ?? 0, newest: claims.newest ?? 0), request.number,
      connection: Int(request.connection), key: key(of: request), at: now)
    recorder.result(of: request, isNewest: oracle.isNewest(request), at: now)
    if options.isDirect, let arrival = claims.arrival, let newest = claims.newest, newest > arrival {
      recorder.overtaken()
    }
    judge(.result(claims), request)
  }

  private func received(_ code: Int, _ request: OpenRequest, _ now: UInt64) {
    trace.note(
      .error(code: code), request.number, connection: Int(request.connection), key: key(of: request), at: now)
    let reply = OracleReply(code: code)
    switch reply {
    case .superseded: recorder.superseded(request, at: now)
    case .cancelled where request.cancelledAfter != 0: recorder.cancelled(request, at: now)
    default: recorder.failed(request, code: code, at: now)
    }
    judge(provesAdmission(reply, request) ? reply : .refused, request)
  }

  /// Whether a reply shows that the request was admitted. In a fleet a request may be cancelled, or its time may end,
  /// while it waits for a member.
  private func provesAdmission(_ reply: OracleReply, _ request: OpenRequest) -> Bool {
    switch reply {
    case .failed: !options.isOfFleet
    case .cancelled: !options.isOfFleet || request.cancelledAfter == 0
    case .result, .superseded, .refused: true
    }
  }

  private func judge(_ reply: OracleReply, _ request: OpenRequest) {
    guard let violation = oracle.judge(reply, to: request) else { return }
    violated(violation, lane: Int(request.connection), key: key(of: request))
  }

  func violated(_ violation: Violation, lane: Int, key: Int?) {
    recorder.violated(violation, connection: lane) {
      trace.lines(connection: lane, key: key, since: startNanoseconds)
    }
  }

  private func key(of request: OpenRequest) -> Int { keyNumber(Int(request.connection), Int(request.key)) }

  func key(ofOpen number: UInt64) -> Int? { oracle.open.update(number) { key(of: $0) } }

  func claims(of result: ByteRange, in bytes: Span<UInt8>) -> ResultClaims {
    guard options.expectsEcho else { return ResultClaims() }
    // No request has the number 0, so a result that names none matches none.
    var claims = ResultClaims(number: 0)
    guard bytes[result.range.lowerBound] == UInt8(ascii: "{") else { return claims }
    var members = ObjectReader(result)
    while let member = members.next(in: bytes) {
      if member.isNamed("pad", in: bytes) { break }
      if member.isNamed("n", in: bytes) {
        claims.number = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
      } else if member.isNamed("arrival", in: bytes) {
        claims.arrival = JSONNumber.nonNegativeInteger(member.value, in: bytes)
      } else if member.isNamed("newest", in: bytes) {
        claims.newest = JSONNumber.nonNegativeInteger(member.value, in: bytes)
      }
    }
    return claims
  }
}
