extension RPCError {
  /// The code of an error object that came over the wire; 0 if it has none.
  package static func code(of error: ByteRange, in bytes: Span<UInt8>) -> Int {
    guard bytes[error.range.lowerBound] == UInt8(ascii: "{") else { return 0 }
    var members = ObjectReader(error)
    while let member = members.next(in: bytes) {
      guard member.isNamed("code", in: bytes) else { continue }
      let isNegative = bytes[member.value.range.lowerBound] == UInt8(ascii: "-")
      let digits = ByteRange(isNegative ? member.value.range.dropFirst() : member.value.range)
      let magnitude = Int(clamping: JSONNumber.nonNegativeInteger(digits, in: bytes) ?? 0)
      return isNegative ? -magnitude : magnitude
    }
    return 0
  }
}
