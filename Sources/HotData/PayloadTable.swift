/// What each task was asked, kept by the task's slot until nobody needs it: for starting it later and for joins.
///
/// The memory of those that are forgotten is used again, so in steady state nothing is allocated.
///
/// Invariant: a payload has memory, from the pool, exactly when it is not empty.
@usableFromInline
package struct PayloadTable: ~Copyable {
  struct Payload {
    var base: UnsafeMutablePointer<UInt8>?
    var count: UInt32 = 0
  }

  private var payloads = SlotArray(empty: Payload(), count: 0)
  private var pool = PayloadPool()
  /// Bytes of all payloads at the moment.
  package private(set) var byteCount = 0

  package init() {}

  deinit {
    for slot in payloads.indices { payloads[slot].base?.deallocate() }
  }

  /// Keeps two pieces of a message, one behind the other.
  @inline(__always)
  package mutating func store(
    _ first: Range<Int>, _ second: Range<Int>, of bytes: Span<UInt8>, at slot: Int
  ) {
    payloads.reach(slot)
    forget(slot)
    let count = first.count + second.count
    guard count > 0 else { return }
    let base = pool.take(count)
    payloads[slot] = Payload(base: base, count: UInt32(count))
    byteCount &+= count
    copy(bytes.extracting(first), to: base)
    copy(bytes.extracting(second), to: base + first.count)
  }

  /// Turns what could end a line into spaces. Between the tokens of JSON text they mean the same, and inside of
  /// strings there are none.
  package mutating func replaceLineBreaks(at slot: Int) {
    guard let base = payloads[slot].base else { return }
    for index in 0..<Int(payloads[slot].count) { base[index] = Self.withoutLineBreak(base[index]) }
  }

  private static func withoutLineBreak(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte
  }

  /// Whether the payload is byte-equal to these two pieces of a message, divided at the same place, what could end
  /// a line in them taken as spaces.
  package func matches(
    _ first: Range<Int>, _ second: Range<Int>, of bytes: Span<UInt8>, at slot: Int, dividedAt division: Int
  ) -> Bool {
    guard slot < payloads.count, division == first.count,
      Int(payloads[slot].count) == first.count + second.count, let base = payloads[slot].base
    else { return false }
    return equal(bytes.extracting(first), base) && equal(bytes.extracting(second), base + division)
  }

  @inline(__always)
  package func count(of slot: Int) -> Int { slot < payloads.count ? Int(payloads[slot].count) : 0 }

  /// Appends part of what a task was asked.
  package func copyBytes(of slot: Int, _ part: Range<Int>, into target: inout [UInt8]) {
    target.append(contentsOf: bytes(of: slot, part))
  }

  /// Part of what a task was asked, for as long as `body` runs.
  @inlinable @inline(__always)
  package func withBytes(of slot: Int, _ part: Range<Int>, _ body: (Span<UInt8>) -> Void) {
    body(Span(_bytes: RawSpan(_unsafeBytes: bytes(of: slot, part))))
  }

  /// Forgets what a task was asked.
  @inline(__always)
  package mutating func forget(_ slot: Int) {
    guard slot < payloads.count else { return }
    let payload = payloads[slot]
    guard let base = payload.base else { return }
    payloads[slot] = Payload()
    byteCount &-= Int(payload.count)
    pool.give(base, Int(payload.count))
  }

  @usableFromInline
  @inline(__always)
  func bytes(of slot: Int, _ part: Range<Int>) -> UnsafeRawBufferPointer {
    // What was never stored is empty.
    let payload = slot < payloads.count ? payloads[slot] : Payload()
    precondition(part.upperBound <= Int(payload.count))
    guard let base = payload.base else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: base + part.lowerBound, count: part.count)
  }

  @inline(__always)
  private func copy(_ bytes: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
    bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      UnsafeMutableRawPointer(target).copyShort(from: start, byteCount: source.count)
    }
  }

  private func equal(_ bytes: Span<UInt8>, _ other: UnsafeMutablePointer<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      for index in bytes.indices where other[index] != bytes[index] {
        if other[index] != Self.withoutLineBreak(bytes[index]) { return false }
      }
      return true
    }
  }
}
