/// A client's id, kept byte for byte.
@usableFromInline
package struct RequestID: Hashable, Sendable {
  @usableFromInline var short = ShortRequestID()
  /// One that is too long for `short`.
  @usableFromInline var long: [UInt8]?

  /// The id of a notification: none.
  package init() {}

  package init(_ short: ShortRequestID) { self.short = short }

  package init(_ raw: ByteRange, in bytes: Span<UInt8>) {
    if raw.count <= ShortRequestID.limitBytes {
      short = ShortRequestID(raw, in: bytes)
    } else {
      long = []
      long?.append(raw.range, of: bytes)
    }
  }

  /// A number.
  package init(_ number: UInt64) {
    var digits: [UInt8] = []
    digits.append(decimal: number)
    self.init(ByteRange(digits.indices), in: digits.span)
  }

  @usableFromInline package var count: Int { long?.count ?? short.count }

  @inlinable package var isAbsent: Bool { count == 0 }

  @inlinable
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let long { return try body(long.span) }
    return try short.withBytes(body)
  }

  /// Whether `raw` is this id as a JSON value: the same bytes, or strings that say the same.
  package func matches(_ raw: ByteRange, in bytes: Span<UInt8>) -> Bool {
    withBytes { own in
      let other = bytes.extracting(raw.range)
      return own.equals(other) || Self.saySame(own, other)
    }
  }

  /// What ids are compared by: two match where these are equal. It is not to be written, for a string's escapes are
  /// resolved.
  package var plain: RequestID {
    withBytes { own in
      guard Self.isString(own), own.indices.contains(where: { own[$0] == UInt8(ascii: "\\") }) else {
        return self
      }
      var text = [UInt8(ascii: "\"")]
      var content = UnescapedBytes(content: 1..<own.count - 1)
      while let byte = content.next(in: own) { text.append(byte) }
      text.append(UInt8(ascii: "\""))
      return RequestID(ByteRange(text.indices), in: text.span)
    }
  }

  private static func saySame(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    guard isString(first), isString(second) else { return false }
    var one = UnescapedBytes(content: 1..<first.count - 1)
    var other = UnescapedBytes(content: 1..<second.count - 1)
    while true {
      let byte = one.next(in: first)
      guard byte == other.next(in: second) else { return false }
      if byte == nil { return true }
    }
  }

  private static func isString(_ raw: Span<UInt8>) -> Bool {
    raw.count >= 2 && raw[0] == UInt8(ascii: "\"")
  }
}
