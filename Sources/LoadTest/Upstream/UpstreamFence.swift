import JSONRPC

/// A request's fence, by which upstream notices that a later owner of its key has sent requests before. It is the
/// member `fence`, which a gateway with `passFence` writes directly behind the params.
struct UpstreamFence {
  private static let beginning: StaticString = ",\"fence\":"

  var partition = 0
  var epoch: UInt64 = 0

  init?(_ envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>) {
    let start = envelope.params.range.upperBound
    let end = start + Self.beginning.utf8CodeUnitCount
    guard end < message.upperBound, bytes.holds(Self.beginning, in: start..<end) else { return nil }
    var members = ObjectReader(ByteRange(end..<message.upperBound - 1))
    while let member = members.next(in: bytes) {
      let number = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
      if member.isNamed("partition", in: bytes) { partition = Int(clamping: number) }
      if member.isNamed("epoch", in: bytes) { epoch = number }
    }
  }
}
