/// Skipping whole values, containers included, without recursion.
extension JSONCursor {
  /// Skips one value whose containers may be nested `depthLimit` deep.
  @inline(always)
  mutating func skipValue(in bytes: Span<UInt8>, depthLimit: Int) -> Bool {
    let first = peek(in: bytes)
    let isContainer = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    guard isContainer else { return skipScalar(first, in: bytes) }
    // A copy makes the call, so that this cursor can stay in registers.
    var ahead = self
    defer { position = ahead.position }
    return ahead.skipContainer(in: bytes, depthLimit: depthLimit)
  }

  @inline(never)
  private mutating func skipContainer(in bytes: Span<UInt8>, depthLimit: Int) -> Bool {
    var containers = OpenContainers(limit: depthLimit)
    repeat {
      if containers.isInObject, !skipName(in: bytes) { return false }
      let first = peek(in: bytes)
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        guard containers.open(isObject: first == UInt8(ascii: "{")) else { return false }
        position &+= 1
        skipWhitespace(in: bytes)
        if !isAt(containers.closing, in: bytes) { continue }
      } else {
        guard skipScalar(first, in: bytes) else { return false }
      }
      guard skipEnds(of: &containers, in: bytes) else { return false }
    } while !containers.isEmpty
    return true
  }

  /// After a value: closes what ends here, up to past the comma before the next value.
  @inline(always)
  private mutating func skipEnds(of containers: inout OpenContainers, in bytes: Span<UInt8>) -> Bool {
    while !containers.isEmpty {
      skipWhitespace(in: bytes)
      if skip(",", in: bytes) {
        skipWhitespace(in: bytes)
        return true
      }
      guard skip(containers.closing, in: bytes) else { return false }
      containers.close()
    }
    return true
  }

  /// Skips a member's name and the colon after it, to the member's value.
  @inline(always)
  mutating func skipName(in bytes: Span<UInt8>) -> Bool {
    guard skipString(in: bytes) else { return false }
    return skipColon(in: bytes)
  }

  @inline(always)
  mutating func skipColon(in bytes: Span<UInt8>) -> Bool {
    skipWhitespace(in: bytes)
    guard skip(":", in: bytes) else { return false }
    skipWhitespace(in: bytes)
    return true
  }

  @inline(always)
  private mutating func skipScalar(_ first: UInt8, in bytes: Span<UInt8>) -> Bool {
    switch first {
    case UInt8(ascii: "\""): skipString(in: bytes)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): skipNumber(in: bytes)
    case UInt8(ascii: "t"): skipLiteral("true", in: bytes)
    case UInt8(ascii: "f"): skipLiteral("false", in: bytes)
    case UInt8(ascii: "n"): skipLiteral("null", in: bytes)
    default: false
    }
  }
}
