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

  /// Skips what is usual from the container on that begins here, and says what comes next; nil when it has ended.
  @inline(always)
  mutating func skipUsualTokens(
    _ containers: inout FewContainers, in bytes: Span<UInt8>
  ) -> NextToken? {
    while position < end {
      var start = position
      if containers.isInObject {
        guard let nameEnd = endOfUsualName(in: bytes) else { return .value }
        start = nameEnd
      }
      let first = Self.byte(at: start, in: bytes)
      if first == UInt8(ascii: "\"") {
        guard let stop = endOfUsualString(at: start, in: bytes) else { return .value }
        position = stop
      } else if first.opensContainer {
        // White space may stand before the bracket that ends it at once.
        let second = Self.byte(at: start &+ 1, in: bytes)
        guard second > UInt8(ascii: " "), containers.open(first) else { return .value }
        position = start &+ 1
        if second != containers.closing { continue }
      } else {
        let count = usualScalarCount(first, ByteWord(at: start, in: bytes), at: start, in: bytes)
        guard count > 0 else { return .value }
        // After eight digits there may be more of them, which are no separator.
        let after = Self.byte(at: start &+ count, in: bytes)
        if after == UInt8(ascii: ",") {
          position = start &+ count &+ 1
          continue
        }
        guard after | 0x20 == UInt8(ascii: "}") else { return .value }
        position = start &+ count
      }
      while !isAt(",", in: bytes) {
        guard position < end, byte(in: bytes) == containers.closing else { return .separator }
        position &+= 1
        containers.close()
        if containers.isEmpty { return nil }
      }
      position &+= 1
    }
    return .value
  }

  /// Where the string ends, which may well be so short that a block would be too much.
  @inline(always)
  private func endOfUsualString(at start: Int, in bytes: Span<UInt8>) -> Int? {
    let marks = ByteWord(at: start &+ 1, in: bytes).specialMarks
    if marks == 0 { return endOfPlainString(at: start, in: bytes) }
    let stop = start &+ 1 &+ ByteWord.byteCount(before: marks)
    return Self.byte(at: stop, in: bytes) == UInt8(ascii: "\"") ? stop &+ 1 : nil
  }

  /// Where the member's value begins whose name is here.
  ///
  /// Where to read on would depend on a length that has to be found first. Objects of a list have the same names: the
  /// processor foresees which of these branches is taken, and reads on without waiting.
  @inline(always)
  private func endOfUsualName(in bytes: Span<UInt8>) -> Int? {
    guard isAt("\"", in: bytes) else { return nil }
    let word = ByteWord(at: position &+ 1, in: bytes)
    let marks = word.specialMarks
    // Nothing special in seven bytes.
    if marks &<< 8 == 0 { return endOfLongName(marks, in: bytes) }
    if word.isName(ofLength: 4, marks) { return position &+ 7 }
    if word.isName(ofLength: 5, marks) { return position &+ 8 }
    if word.isName(ofLength: 3, marks) { return position &+ 6 }
    if word.isName(ofLength: 6, marks) { return position &+ 9 }
    if word.isName(ofLength: 2, marks) { return position &+ 5 }
    if word.isName(ofLength: 1, marks) { return position &+ 4 }
    return nil
  }

  /// The same of a name that has seven bytes at least.
  /// - Parameter marks: what is special in its first eight bytes.
  @inline(always)
  private func endOfLongName(_ marks: UInt64, in bytes: Span<UInt8>) -> Int? {
    var stop = position &+ 8
    if marks == 0 { stop &+= 1 &+ StringBlock(at: stop &+ 1, in: bytes).plainByteCount }
    return Self.isAtPair("\":", stop, in: bytes) ? stop &+ 2 : endOfVeryLongName(in: bytes)
  }

  @inline(never)
  private func endOfVeryLongName(in bytes: Span<UInt8>) -> Int? {
    guard let nameEnd = endOfPlainString(at: position, in: bytes) else { return nil }
    return Self.byte(at: nameEnd, in: bytes) == UInt8(ascii: ":") ? nameEnd &+ 1 : nil
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
    let fraction =
      word.digitCount(after: whole) ?? ByteWord(at: start &+ whole &+ 1, in: bytes).digitCount
    return fraction > 0 ? whole &+ 1 &+ fraction : 0
  }
}
