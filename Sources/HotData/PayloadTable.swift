/// What each task was asked, kept by the task's slot until nobody needs it: for starting it later and for joins.
///
/// It is kept as it goes upstream, in one piece: two pieces of a message, and between them what stands there, if the
/// second is not empty. The memory of those that are forgotten is used again, so in steady state nothing is allocated.
///
/// Invariant: a payload has memory, from the pool, exactly when it is not empty.
@usableFromInline
package struct PayloadTable: ~Copyable {
  @usableFromInline struct Payload {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>?
    @usableFromInline var count: UInt32 = 0
    /// How much of that stands between its pieces.
    @usableFromInline var dividerCount: UInt32 = 0

    @inlinable @inline(__always)
    init(base: UnsafeMutablePointer<UInt8>? = nil, count: UInt32 = 0, dividerCount: UInt32 = 0) {
      (self.base, self.count, self.dividerCount) = (base, count, dividerCount)
    }
  }

  private let place = StaysInPlace()
  /// What stands between the two pieces.
  private let divider: (start: UnsafePointer<UInt8>, count: Int)
  @usableFromInline var payloads = SlotArray(empty: Payload(), count: 0)
  @usableFromInline var pool = PayloadPool()
  /// Bytes of all pieces at the moment.
  @usableFromInline package private(set) var byteCount = 0

  package init(divider: StaticString = "") { self.divider = (divider.utf8Start, divider.utf8CodeUnitCount) }

  deinit {
    for slot in payloads.indices {
      if let base = payloads[slot].base { PayloadPool.free(base, Int(payloads[slot].count)) }
    }
  }

  /// Keeps two pieces of a message.
  @inline(__always)
  package mutating func store(
    _ first: Range<Int>, _ second: Range<Int>, of bytes: Span<UInt8>, at slot: Int
  ) {
    payloads.reach(slot)
    if payloads[slot].base != nil { forgetApart(slot) }
    // Of spans the counts cannot be negative, nor too large for their sum.
    let (first, second) = (bytes.extracting(first), bytes.extracting(second))
    let dividerCount = second.isEmpty ? 0 : divider.count
    let count = first.count &+ dividerCount &+ second.count
    guard count > 0 else { return }
    let base = UnsafeMutableRawPointer(pool.take(count))
    payloads[slot] = Payload(
      base: base.assumingMemoryBound(to: UInt8.self), count: UInt32(truncatingIfNeeded: count),
      dividerCount: UInt32(truncatingIfNeeded: dividerCount))
    byteCount &+= count &- dividerCount
    let behind = base + first.count
    copy(first, to: base)
    if dividerCount > 0 { behind.copyShort(from: divider.start, byteCount: dividerCount) }
    copy(second, to: behind + dividerCount)
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

  /// Whether the payload's pieces are byte-equal to these two of a message, what could end a line in them taken as
  /// spaces.
  /// - Parameter division: the length of the payload's first piece.
  package func matches(
    _ first: Range<Int>, _ second: Range<Int>, of bytes: Span<UInt8>, at slot: Int, dividedAt division: Int
  ) -> Bool {
    guard slot < payloads.count, division == first.count, count(of: slot) == first.count + second.count,
      let base = payloads[slot].base
    else { return false }
    let behind = base + division + Int(payloads[slot].dividerCount)
    return equal(bytes.extracting(first), base) && equal(bytes.extracting(second), behind)
  }

  /// Whether the payload's first piece is byte-equal to this one of a message.
  /// - Parameter division: the length of the payload's first piece.
  package func matchesFirst(
    _ first: Range<Int>, of bytes: Span<UInt8>, at slot: Int, dividedAt division: Int
  ) -> Bool {
    guard slot < payloads.count, division == first.count, let base = payloads[slot].base else { return false }
    return equal(bytes.extracting(first), base)
  }

  /// The length of its pieces together.
  @inlinable @inline(__always)
  package func count(of slot: Int) -> Int {
    guard slot < payloads.count else { return 0 }
    return Int(payloads[slot].count - payloads[slot].dividerCount)
  }

  /// Appends the first piece of what a task was asked.
  package func copyFirst(of slot: Int, dividedAt division: Int, into target: inout [UInt8]) {
    target.append(contentsOf: bytes(of: slot)[..<division])
  }

  /// Appends the second piece of what a task was asked.
  package func copySecond(of slot: Int, dividedAt division: Int, into target: inout [UInt8]) {
    let bytes = bytes(of: slot)
    guard bytes.count > division else { return }
    target.append(contentsOf: bytes[(division + Int(payloads[slot].dividerCount))...])
  }

  /// Whether there are pages of large payloads that were forgotten: to give all of them back at once can take long.
  @inlinable package var holdsForgottenPages: Bool { pool.holdsReleased }

  /// Gives back about so much of them.
  package mutating func giveBackForgottenPages(upTo byteCount: Int) {
    if pool.holdsReleased { pool.giveBackReleased(upTo: byteCount) }
  }

  /// Gives back what the table grew to; there must be no payload.
  package mutating func giveBackMemory() {
    precondition(byteCount == 0, "a payload would be forgotten")
    payloads = SlotArray(empty: Payload(), count: 0)
    pool = PayloadPool()
  }

  /// What a task was asked, as it goes upstream, for as long as `body` runs.
  @inlinable @inline(__always)
  package func withBytes<Result>(of slot: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    body(Span(_bytes: RawSpan(_unsafeBytes: bytes(of: slot))))
  }

  /// Forgets what a task was asked.
  @inlinable @inline(__always)
  package mutating func forget(_ slot: Int) {
    guard slot < payloads.count else { return }
    let payload = payloads[slot]
    guard let base = payload.base else { return }
    byteCount &-= Int(payload.count) &- Int(payload.dividerCount)
    payloads[slot] = Payload()
    pool.give(base, Int(payload.count))
  }

  /// The same, where it is rare.
  @inline(never)
  package mutating func forgetApart(_ slot: Int) { forget(slot) }

  /// Forgets the second piece of what a task was asked, and what stands before it.
  package mutating func forgetSecond(of slot: Int, dividedAt division: Int) {
    guard slot < payloads.count, division < Int(payloads[slot].count), let base = payloads[slot].base else {
      return
    }
    guard division > 0 else { return forgetApart(slot) }
    let payload = payloads[slot]
    byteCount &-= Int(payload.count) &- Int(payload.dividerCount) &- division
    let shorter = pool.shorten(base, from: Int(payload.count), to: division)
    payloads[slot] = Payload(base: shorter, count: UInt32(truncatingIfNeeded: division))
  }

  @inlinable @inline(__always)
  func bytes(of slot: Int) -> UnsafeRawBufferPointer {
    // What was never stored is empty.
    guard slot < payloads.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let payload = payloads[slot]
    return UnsafeRawBufferPointer(start: payload.base, count: Int(payload.count))
  }

  @inline(__always)
  private func copy(_ bytes: Span<UInt8>, to target: UnsafeMutableRawPointer) {
    bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      target.copyShort(from: start, byteCount: source.count)
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
