/// Skipping tokens as most of them are: strings, plain names, short numbers, literals, brackets, and between them nothing
/// or a blank.
///
/// It calls nobody but for long strings and odd ones, so that the compiler can keep all it needs in registers.
extension JSONCursor {
  enum NextToken {
    /// A value or, in an object, its name.
    case value
    /// What stands behind a value.
    case separator
  }

  /// Skips what the fast path knows, from the container on that begins here. Returns what is next; nil: it has ended.
  ///
  /// - Parameter withBlanks: whether a blank may stand behind a comma or a colon. A constant: where none may stand,
  ///   nothing asks for one.
  @inline(always)
  mutating func skipFastTokens(
    _ containers: inout FewContainers, withBlanks: Bool, in bytes: Span<UInt8>
  ) -> NextToken? {
    var ends = StringEnds()
    items: while true {
      var start = position
      if containers.isInObject {
        guard isAt("\"", in: bytes), let value = endOfFastName(&ends, in: bytes) else { return .value }
        start = withBlanks ? behindBlank(value, in: bytes) : value
      } else {
        guard position < end else { return .value }
      }
      while true {
        let first = Self.byte(at: start, in: bytes)
        let isString = first == UInt8(ascii: "\"")
        if !isString && first.opensContainer {
          // White space may stand before the bracket that ends it at once.
          let second = Self.byte(at: start &+ 1, in: bytes)
          guard second > UInt8(ascii: " "), containers.open(first) else { return .value }
          position = start &+ 1
          if second != containers.closing { continue items }
          break
        }
        guard let stop = endOfFastScalar(first, at: start, &ends, in: bytes) else { return .value }
        // Mostly a name or another string comes next.
        guard !withBlanks, Self.isAtPair(",\"", stop, in: bytes) else {
          // After eight digits there may be more of them, which are no separator.
          guard first == UInt8(ascii: "\"") || Self.byte(at: stop, in: bytes).endsItem else { return .value }
          position = stop
          break
        }
        position = stop &+ 1
        start = position
        if containers.isInObject {
          guard let value = endOfFastName(&ends, in: bytes) else { return .value }
          start = value
        }
      }
      while !isAt(",", in: bytes) {
        guard position < end, byte(in: bytes) == containers.closing else { return .separator }
        position &+= 1
        containers.close()
        if containers.isEmpty { return nil }
      }
      position &+= 1
      if withBlanks { skipBlank(in: bytes) }
    }
  }

  @inline(always)
  mutating func skipBlank(in bytes: Span<UInt8>) { position = behindBlank(position, in: bytes) }

  /// The place behind the blank there, or else the same place.
  @inline(always)
  func behindBlank(_ offset: Int, in bytes: Span<UInt8>) -> Int {
    Self.byte(at: offset, in: bytes) == UInt8(ascii: " ") ? offset &+ 1 : offset
  }

  /// Where what is no container ends that begins there.
  @inline(always)
  private func endOfFastScalar(
    _ first: UInt8, at start: Int, _ ends: inout StringEnds, in bytes: Span<UInt8>
  ) -> Int? {
    if first == UInt8(ascii: "\"") { return endOfFastString(at: start, &ends, in: bytes) }
    let count = fastScalarCount(first, ByteWord(at: start, in: bytes), at: start, in: bytes)
    return count > 0 ? start &+ count : nil
  }

  /// Where the string ends that begins there.
  @inline(always)
  private func endOfFastString(at start: Int, _ ends: inout StringEnds, in bytes: Span<UInt8>) -> Int? {
    guard var special = ends.firstSpecial(behind: start, before: end, in: bytes) else { return nil }
    while true {
      let byte = Self.byte(at: special, in: bytes)
      if byte == UInt8(ascii: "\"") { return special &+ 1 }
      let count =
        byte >= 0x80
        ? ByteWord(at: special, in: bytes).scalarByteCount : specialLength(at: special, in: bytes)
      guard count > 0,
        let next = ends.firstSpecial(from: special &+ count, before: end, in: bytes)
      else { return nil }
      special = next
    }
  }

  /// Where the member's value begins whose name is here, a quote at least.
  @inline(always)
  private func endOfFastName(_ ends: inout StringEnds, in bytes: Span<UInt8>) -> Int? {
    guard let special = ends.firstSpecial(behind: position, before: end, in: bytes),
      Self.isAtPair("\":", special, in: bytes)
    else { return nil }
    return special &+ 2
  }

  /// How many bytes it has if it is a literal, or a number of a few digits with or without a fraction; 0: it is not.
  @inline(always)
  private func fastScalarCount(_ first: UInt8, _ word: ByteWord, at start: Int, in bytes: Span<UInt8>) -> Int
  {
    guard first &- UInt8(ascii: "0") < 10 else {
      return word.begins(with: "true") || word.begins(with: "null") ? 4 : word.begins(with: "false") ? 5 : 0
    }
    if word.byte(at: 1) == UInt8(ascii: ",") { return 1 }
    let whole = word.digitCount
    guard first != UInt8(ascii: "0") || whole == 1 else { return 0 }
    guard Self.byte(at: start &+ whole, in: bytes) == UInt8(ascii: ".") else { return whole }
    let fraction =
      word.digitCount(after: whole) ?? ByteWord(at: start &+ whole &+ 1, in: bytes).digitCount
    return fraction > 0 ? whole &+ 1 &+ fraction : 0
  }
}

extension UInt8 {
  /// Whether an item may end before it, and nothing else.
  @inline(always)
  fileprivate var endsItem: Bool { self == UInt8(ascii: ",") || self | 0x20 == UInt8(ascii: "}") }
}
