import JSONRPC

/// The upstream of the playground: each request takes as long as it says, and one that is cancelled a little longer.
struct SlowUpstream {
  /// How long a cancelled task takes to end: long enough to be seen.
  static let givingUpMilliseconds: UInt64 = 400

  private struct Work {
    let id: UInt64
    var dueMilliseconds: UInt64
    var isCancelled = false
  }

  private var works: [Work] = []

  var nextDueMilliseconds: UInt64? { works.map(\.dueMilliseconds).min() }

  /// Takes a line that the gateway sent.
  mutating func receive(_ line: [UInt8], at nowMilliseconds: UInt64) {
    var envelope = Envelope()
    let padded = JSONText.padded(line)
    guard case .message = EnvelopeScanner.scan(padded.span, line.indices, into: &envelope),
      let number = Self.number(in: envelope.params, of: padded.span)
    else { return }
    guard let id = JSONNumber.nonNegativeInteger(envelope.id, in: padded.span) else {
      return cancel(number, at: nowMilliseconds)
    }
    works.append(Work(id: id, dueMilliseconds: nowMilliseconds + number))
  }

  /// The number in the params: of a request its duration, of a cancel its request's id.
  private static func number(in params: ByteRange, of bytes: Span<UInt8>) -> UInt64? {
    var reader = ObjectReader(params)
    guard let member = reader.next(in: bytes) else { return nil }
    return JSONNumber.nonNegativeInteger(member.value, in: bytes)
  }

  private mutating func cancel(_ id: UInt64, at nowMilliseconds: UInt64) {
    guard let place = works.firstIndex(where: { $0.id == id }) else { return }
    works[place].isCancelled = true
    let due = min(works[place].dueMilliseconds, nowMilliseconds + Self.givingUpMilliseconds)
    works[place].dueMilliseconds = due
  }

  /// The answers that are due, as lines.
  mutating func takeAnswers(at nowMilliseconds: UInt64) -> [UInt8] {
    var lines: [UInt8] = []
    for work in works where work.dueMilliseconds <= nowMilliseconds {
      let error = "\"error\":{\"code\":-32800,\"message\":\"cancelled\"}"
      let outcome = work.isCancelled ? error : "\"result\":{}"
      lines.append(contentsOf: "{\"jsonrpc\":\"2.0\",\"id\":\(work.id),\(outcome)}\n".utf8)
    }
    works.removeAll { $0.dueMilliseconds <= nowMilliseconds }
    return lines
  }
}
