import JSONRPC

/// A line that a client got, taken apart: which request it answers, and what it says.
struct ReplyView {
  enum Phase: Int { case none, queued, running }
  enum Upstream: Int { case none, notSent, cancelSent, mayHaveCompleted }

  var id: Range<Int> = 0..<0
  /// 0: a result.
  var code = 0
  var result: Range<Int> = 0..<0
  var error: Range<Int> = 0..<0
  var key: Range<Int> = 0..<0
  /// 0: not said.
  var generation: UInt64 = 0
  var supersededBy: UInt64 = 0
  var phase = Phase.none
  var upstream = Upstream.none
  var retryAfterMilliseconds: Int?
  /// So many pieces of the answer came before; 0: not said.
  var pieces = 0
  /// The number in the data of an error that upstream gave.
  var answer = -1

  /// Nil for what is no reply.
  init?(_ line: Range<Int>, in bytes: Span<UInt8>) {
    var envelope = Envelope()
    guard case .message = EnvelopeScanner.scan(bytes, line, into: &envelope), envelope.isResponse else {
      return nil
    }
    id = envelope.id.range
    result = envelope.result.range
    error = envelope.error.range
    guard !envelope.error.isEmpty else { return }
    code = RPCError.code(of: envelope.error, in: bytes)
    guard code != 0 else { return nil }
    var members = ObjectReader(envelope.error)
    while let member = members.next(in: bytes) {
      guard member.isNamed("data", in: bytes) else { continue }
      if member.kind == .number {
        answer = JSONNumber.nonNegativeInteger(member.value, in: bytes).map { Int(clamping: $0) } ?? -1
      } else if member.kind == .object {
        readData(member.value, in: bytes)
      }
    }
  }

  private mutating func readData(_ data: ByteRange, in bytes: Span<UInt8>) {
    var members = ObjectReader(data)
    while let member = members.next(in: bytes) {
      if member.isNamed("key", in: bytes) {
        key = member.value.range
      } else if member.isNamed("generation", in: bytes) {
        generation = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
      } else if member.isNamed("supersededBy", in: bytes) {
        supersededBy = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
      } else if member.isNamed("phase", in: bytes) {
        let isQueued = JSONString.equals(member.value, in: bytes, "queued")
        phase = isQueued ? .queued : JSONString.equals(member.value, in: bytes, "running") ? .running : .none
      } else if member.isNamed("upstream", in: bytes) {
        readUpstream(member.value, in: bytes)
      } else if member.isNamed("pieces", in: bytes) {
        pieces = JSONNumber.nonNegativeInteger(member.value, in: bytes).map { Int(clamping: $0) } ?? -1
      } else if member.isNamed("retryAfterMs", in: bytes) {
        let number = JSONNumber.nonNegativeInteger(member.value, in: bytes)
        retryAfterMilliseconds = number.map { Int(clamping: $0) } ?? -1
      }
    }
  }

  private mutating func readUpstream(_ value: ByteRange, in bytes: Span<UInt8>) {
    if JSONString.equals(value, in: bytes, "notSent") { upstream = .notSent }
    if JSONString.equals(value, in: bytes, "cancelSent") { upstream = .cancelSent }
    if JSONString.equals(value, in: bytes, "mayHaveCompleted") { upstream = .mayHaveCompleted }
  }
}
