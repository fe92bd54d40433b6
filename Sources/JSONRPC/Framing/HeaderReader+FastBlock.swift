/// The short way through the block that nearly every message has.
extension HeaderReader {
  /// So many digits cannot overflow.
  private static let longestFastDigits = 18

  /// Reads a block as nearly all are: whole in the chunk, with the one field and without needless blanks and
  /// digits. Nil, and nothing read, when it is any other.
  static func readFastBlock(_ chunk: Span<UInt8>, count: Int, from offset: inout Int) -> Int? {
    let (beginning, end): (StaticString, StaticString) = ("Content-Length: ", "\r\n\r\n")
    let digitsStart = offset + beginning.utf8CodeUnitCount
    let last = min(count - end.utf8CodeUnitCount, digitsStart + longestFastDigits)
    guard digitsStart < last, chunk.holds(beginning, in: offset..<digitsStart) else { return nil }
    var (position, bodyByteCount) = (digitsStart, 0)
    while position < last, chunk[position] &- UInt8(ascii: "0") < 10 {
      bodyByteCount = bodyByteCount &* 10 &+ Int(chunk[position] &- UInt8(ascii: "0"))
      position += 1
    }
    let blockEnd = position + end.utf8CodeUnitCount
    guard position > digitsStart, chunk.holds(end, in: position..<blockEnd) else { return nil }
    offset = blockEnd
    return bodyByteCount
  }
}
