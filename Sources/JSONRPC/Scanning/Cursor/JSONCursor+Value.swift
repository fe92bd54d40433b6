/// Skipping whole values, containers included, without recursion.
extension JSONCursor {
  /// Skips one value whose containers may be nested `depthLimit` deep.
  @inline(always)
  mutating func skipValue(in bytes: Span<UInt8>, depthLimit: Int) -> Bool {
    guard position < end else { return false }
    let first = byte(in: bytes)
    return first.opensContainer
      ? skipContainer(in: bytes, depthLimit: depthLimit) : skipScalar(first, in: bytes)
  }

  /// Skips the object or the array that begins here.
  @inline(always)
  mutating func skipContainer(in bytes: Span<UInt8>, depthLimit: Int) -> Bool {
    if isKnown { return skipKnownContainer(in: bytes) }
    var few = FewContainers(limit: depthLimit)
    guard let next = skipFastTokens(&few, withBlanks: false, in: bytes) else { return true }
    return skipRest(of: few, from: next, in: bytes, depthLimit: depthLimit)
  }

  /// The same where blanks are expected.
  @inline(always)
  mutating func skipSpacedContainer(in bytes: Span<UInt8>, depthLimit: Int) -> Bool {
    if isKnown { return skipKnownContainer(in: bytes) }
    return skipRest(of: FewContainers(limit: depthLimit), from: .value, in: bytes, depthLimit: depthLimit)
  }

  @inline(always)
  private mutating func skipRest(
    of containers: FewContainers, from next: NextToken, in bytes: Span<UInt8>, depthLimit: Int
  ) -> Bool {
    let rest = readRest(of: containers, from: next, in: bytes, depthLimit: depthLimit)
    position = rest.stop
    hasLineBreaks = rest.hasLineBreaks
    isTooDeep = rest.isTooDeep
    return rest.isRight
  }

  /// Whether the rest of the containers is right, where it or what is right of it ends, and what was found there.
  ///
  /// Not mutating: this cursor and its copy that moves through the containers can both stay in registers.
  @inline(never)
  private func readRest(
    of containers: FewContainers, from next: NextToken, in bytes: Span<UInt8>, depthLimit: Int
  ) -> (isRight: Bool, stop: Int, hasLineBreaks: Bool, isTooDeep: Bool) {
    var cursor = self
    let isRight = cursor.skipTokens(of: containers, from: next, in: bytes, depthLimit: depthLimit)
    return (isRight, cursor.position, cursor.hasLineBreaks, cursor.isTooDeep)
  }

  /// Skips fast what the fast path knows, and other values one by one.
  @inline(always)
  private mutating func skipTokens(
    of containers: FewContainers, from next: NextToken, in bytes: Span<UInt8>, depthLimit: Int
  ) -> Bool {
    var (containers, next) = (containers, next)
    while true {
      if next == .value {
        guard let other = skipFastTokens(&containers, withBlanks: true, in: bytes) else { return true }
        next = other
      }
      let start = position
      switch skipAny(next, in: &containers, bytes) {
      case .more: next = .value
      case .ended: return true
      case .wrong: return false
      case .full:
        position = start
        return skipManyTokens(of: OpenContainers(containers, limit: depthLimit), in: bytes)
      }
    }
  }

  /// The same of any number of containers.
  @inline(never)
  private mutating func skipManyTokens(of containers: OpenContainers, in bytes: Span<UInt8>) -> Bool {
    var containers = containers
    while true {
      switch skipAny(.value, in: &containers, bytes) {
      case .more: continue
      case .ended: return true
      case .wrong: return false
      case .full:
        isTooDeep = true
        return false
      }
    }
  }

  private enum Progress {
    /// A value comes next.
    case more
    /// The outermost container has ended.
    case ended
    case wrong
    /// The bracket here opens one container too many.
    case full
  }

  /// Skips one value, its name before it, and what stands behind it; or only the latter.
  @inline(always)
  private mutating func skipAny<Containers: ContainerStack>(
    _ next: NextToken, in containers: inout Containers, _ bytes: Span<UInt8>
  ) -> Progress {
    if next == .value {
      if containers.isInObject, !skipName(in: bytes) { return .wrong }
      skipWhitespace(in: bytes)
      guard position < end else { return .wrong }
      let first = byte(in: bytes)
      if first.opensContainer {
        guard containers.open(first) else { return .full }
        position &+= 1
        skipWhitespace(in: bytes)
        if byte(in: bytes) != containers.closing { return .more }
      } else {
        guard skipScalar(first, in: bytes) else { return .wrong }
      }
    }
    while !skip(",", in: bytes) {
      guard position < end, byte(in: bytes) == containers.closing else { return .wrong }
      position &+= 1
      containers.close()
      if containers.isEmpty { return .ended }
    }
    return .more
  }

  /// Skips a member's name and the colon after it, and the white space around them.
  @inline(always)
  mutating func skipName(in bytes: Span<UInt8>) -> Bool {
    skip("\"", in: bytes) && skipString(in: bytes) && skip(":", in: bytes)
  }

  @inline(always)
  private mutating func skipScalar(_ first: UInt8, in bytes: Span<UInt8>) -> Bool {
    if first == UInt8(ascii: "\"") {
      position &+= 1
      return skipString(in: bytes)
    }
    if first &- UInt8(ascii: "0") < 10 || first == UInt8(ascii: "-") { return skipNumber(in: bytes) }
    return skipLiteral(in: bytes)
  }

  @inline(always)
  private mutating func skipLiteral(in bytes: Span<UInt8>) -> Bool {
    let word = ByteWord(at: position, in: bytes)
    switch true {
    case word.begins(with: "true"), word.begins(with: "null"): position &+= 4
    case word.begins(with: "false"): position &+= 5
    default:
      position &+= wrongLiteralLength(in: bytes)
      return false
    }
    return true
  }

  /// How many bytes of what is here are right for a literal.
  @inline(never)
  private func wrongLiteralLength(in bytes: Span<UInt8>) -> Int {
    let literal: StaticString
    switch peek(in: bytes) {
    case UInt8(ascii: "t"): literal = "true"
    case UInt8(ascii: "f"): literal = "false"
    case UInt8(ascii: "n"): literal = "null"
    default: return 0
    }
    var length = 0
    while peek(length, in: bytes) == literal.byte(at: length) { length += 1 }
    return length
  }
}

extension UInt8 {
  /// One bit tells a brace from a bracket.
  @inline(always)
  var opensContainer: Bool { self | 0x20 == UInt8(ascii: "{") }
}
