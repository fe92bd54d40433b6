import JSONRPC

/// The members of the load client's params; 0 or nil if they are missing.
struct UpstreamQuestion {
  /// Tells runs apart that use the same upstream.
  var run: UInt64 = 0
  var number: UInt64 = 0
  var key: Int?
  /// Whether it supersedes earlier requests: when it comes, or when it is answered.
  var supersedes = false
  var overtakes = false
  var pieces = PieceShape()

  init(_ params: ByteRange, in bytes: Span<UInt8>) {
    guard !params.isEmpty, bytes[params.range.lowerBound] == UInt8(ascii: "{") else { return }
    var members = ObjectReader(params)
    while let member = members.next(in: bytes) {
      // The rest is padding, which may be long.
      if member.isNamed("pad", in: bytes) { return }
      read(member, in: bytes)
    }
  }

  private mutating func read(_ member: Member, in bytes: Span<UInt8>) {
    if member.isNamed("n", in: bytes) {
      number = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
    } else if member.isNamed("run", in: bytes) {
      run = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
    } else if member.isNamed("key", in: bytes) {
      key = JSONNumber.nonNegativeInteger(member.value, in: bytes).map { Int(clamping: $0) }
    } else if member.isNamed("pieces", in: bytes) {
      pieces.count = Self.number(member, upTo: PieceShape.countRange.upperBound, in: bytes)
    } else if member.isNamed("pieceMs", in: bytes) {
      pieces.milliseconds = Self.number(member, upTo: PieceShape.millisecondsRange.upperBound, in: bytes)
    } else if member.isNamed("piecePad", in: bytes) {
      pieces.paddingBytes = Self.number(member, upTo: PieceShape.paddingRange.upperBound, in: bytes)
    } else if member.isNamed("policy", in: bytes) {
      guard member.kind == .string else { return }
      supersedes = JSONString.equals(member.value, in: bytes, "cancel")
      overtakes = JSONString.equals(member.value, in: bytes, "onAnswer")
    }
  }

  private static func number(_ member: Member, upTo most: Int, in bytes: Span<UInt8>) -> Int {
    min(JSONNumber.nonNegativeInteger(member.value, in: bytes).map { Int(clamping: $0) } ?? 0, most)
  }
}
