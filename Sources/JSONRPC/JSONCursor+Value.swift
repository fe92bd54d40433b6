/// Skipping whole values, containers included, without recursion.
extension JSONCursor {
  /// Skips one value whose containers may be nested `depthLimit` deep.
  @inline(never)
  mutating func skipValue(in bytes: Span<UInt8>, depthLimit: Int) -> Bool {
    var containers = OpenContainers(limit: depthLimit)
    repeat {
      guard skipStart(of: &containers, in: bytes) else { return false }
      guard skipEnds(of: &containers, in: bytes) else { return false }
    } while !containers.isEmpty
    return true
  }

  /// Skips a scalar, or opens containers up to the first place where one ends or a scalar has been skipped.
  @inline(__always)
  private mutating func skipStart(of containers: inout OpenContainers, in bytes: Span<UInt8>) -> Bool {
    while true {
      let first = peek(in: bytes)
      let isObject = first == UInt8(ascii: "{")
      guard isObject || first == UInt8(ascii: "[") else { return skipScalar(first, in: bytes) }
      guard containers.open(isObject: isObject) else { return false }
      position &+= 1
      skipWhitespace(in: bytes)
      if isAt(isObject ? "}" : "]", in: bytes) { return true }
      if isObject {
        guard skipName(in: bytes) else { return false }
      }
    }
  }

  /// After a value: closes what ends here, up to a comma, and skips to the value after that.
  @inline(__always)
  private mutating func skipEnds(of containers: inout OpenContainers, in bytes: Span<UInt8>) -> Bool {
    while !containers.isEmpty {
      skipWhitespace(in: bytes)
      if skip(",", in: bytes) {
        skipWhitespace(in: bytes)
        return containers.isInObject ? skipName(in: bytes) : true
      }
      guard skip(containers.isInObject ? "}" : "]", in: bytes) else { return false }
      containers.close()
    }
    return true
  }

  /// Skips a member's name and the colon after it, to the member's value.
  @inline(__always)
  mutating func skipName(in bytes: Span<UInt8>) -> Bool {
    guard skipString(in: bytes) else { return false }
    return skipColon(in: bytes)
  }

  @inline(__always)
  mutating func skipColon(in bytes: Span<UInt8>) -> Bool {
    skipWhitespace(in: bytes)
    guard skip(":", in: bytes) else { return false }
    skipWhitespace(in: bytes)
    return true
  }

  @inline(__always)
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
