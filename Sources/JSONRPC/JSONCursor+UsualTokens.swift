/// Skipping tokens as most of them are: plain strings and names, short numbers, literals, brackets, and nothing between
/// them.
///
/// It calls nobody but for long strings, so that the compiler can keep all it needs in registers.
extension JSONCursor {
  enum NextToken {
    /// A value or, in an object, its name.
    case value
    /// What stands behind a value.
    case separator
  }

  /// Skips what is usual inside `containers` and says what comes next; nil when the last of them has ended.
  @inline(always)
  mutating func skipUsualTokens(
    _ containers: inout OpenContainers, in bytes: Span<UInt8>
  ) -> NextToken? {
    while position < end {
      guard let start = startOfUsualValue(containers.isInObject, in: bytes) else { return .value }
      let first = Self.byte(at: start, in: bytes)
      if first.opensContainer {
        // White space may stand before the bracket that ends it at once.
        guard Self.byte(at: start &+ 1, in: bytes) > UInt8(ascii: " "),
          containers.open(isObject: first == UInt8(ascii: "{"))
        else { return .value }
        position = start &+ 1
        if !isAt(containers.closing, in: bytes) { continue }
      } else {
        guard let stop = endOfUsualScalar(first, at: start, in: bytes) else { return .value }
        position = stop
      }
      while !isAt(",", in: bytes) {
        guard position < end, isAt(containers.closing, in: bytes) else { return .separator }
        position &+= 1
        containers.close()
        if containers.isEmpty { return nil }
      }
      position &+= 1
    }
    return .value
  }

  @inline(always)
  private func startOfUsualValue(_ isInObject: Bool, in bytes: Span<UInt8>) -> Int? {
    guard isInObject else { return position }
    guard isAt("\"", in: bytes), let nameEnd = endOfPlainString(at: position, in: bytes),
      Self.byte(at: nameEnd, in: bytes) == UInt8(ascii: ":")
    else { return nil }
    return nameEnd &+ 1
  }

  @inline(always)
  private func endOfUsualScalar(_ first: UInt8, at start: Int, in bytes: Span<UInt8>) -> Int? {
    if first == UInt8(ascii: "\"") { return endOfPlainString(at: start, in: bytes) }
    let count = usualScalarCount(first, ByteWord(at: start, in: bytes), at: start, in: bytes)
    // After eight digits there may be more of them, which are no separator.
    let after = Self.byte(at: start &+ count, in: bytes)
    let isEnded = after == UInt8(ascii: ",") || after | 0x20 == UInt8(ascii: "}")
    return count > 0 && isEnded ? start &+ count : nil
  }

  /// How many bytes it has if it is a literal, or a number of a few digits with or without a fraction; 0: it is not.
  @inline(always)
  private func usualScalarCount(_ first: UInt8, _ word: ByteWord, at start: Int, in bytes: Span<UInt8>) -> Int
  {
    guard first &- UInt8(ascii: "0") < 10 else {
      return word.begins(with: "true") || word.begins(with: "null") ? 4 : word.begins(with: "false") ? 5 : 0
    }
    let whole = word.digitCount
    guard first != UInt8(ascii: "0") || whole == 1 else { return 0 }
    guard Self.byte(at: start &+ whole, in: bytes) == UInt8(ascii: ".") else { return whole }
    let fraction = ByteWord(at: start &+ whole &+ 1, in: bytes).digitCount
    return fraction > 0 ? whole &+ 1 &+ fraction : 0
  }
}
