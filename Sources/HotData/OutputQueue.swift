/// The bytes that one connection has still to send: a chain of pooled blocks, filled at the end, sent from the front.
///
/// Invariant: `first` is nil exactly when there is no block; only the last block may have room, which is the `room`
/// bytes from `cursor` on; no block but the first has sent bytes. Blocks never move, so what a write was given stays
/// in place until `consume`. A block's `upper` is only right once `settle` has been called.
@usableFromInline
package struct OutputQueue: ~Copyable {
  /// Chunks handed to one write: libuv and the kernel take more, but no socket buffer holds more.
  package static let chunksPerWrite = 64

  private let pool: BlockPool
  private var first: UnsafeMutablePointer<OutputBlock>?
  private var last: UnsafeMutablePointer<OutputBlock>?
  /// Where the next byte goes in the last block, and how many fit there.
  @usableFromInline var cursor: UnsafeMutableRawPointer
  @usableFromInline var room = 0
  @usableFromInline package private(set) var byteCount = 0

  package init(pool: BlockPool) {
    self.pool = pool
    cursor = pool.nowhere
  }

  deinit {
    var block = first
    while let current = block {
      block = current.pointee.next
      pool.give(current)
    }
  }

  @inlinable package var isEmpty: Bool { byteCount == 0 }

  // MARK: Filling

  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    if room == 0 { addBlock() }
    cursor.storeBytes(of: byte, as: UInt8.self)
    advance(1)
  }

  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBytes { append($0) }
  }

  @inlinable @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    bytes.extracting(range).withUnsafeBytes { append($0) }
  }

  /// Appends a number in decimal digits.
  @inlinable
  package mutating func append(decimal number: UInt64) {
    guard room >= Self.decimalDigits else { return appendSlowly(decimal: number) }
    let digits = Self.digitCount(number)
    var (rest, place) = (number, digits)
    while rest >= 10 {
      let hundredth = rest / 100
      place -= 2
      let pair = Self.pairs.utf8Start + Int(truncatingIfNeeded: rest &- hundredth &* 100) * 2
      (cursor + place).copyMemory(from: pair, byteCount: 2)
      rest = hundredth
    }
    if place > 0 {
      cursor.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    }
    advance(digits)
  }

  @inlinable
  static func digitCount(_ number: UInt64) -> Int {
    var (digits, bound): (Int, UInt64) = (1, 10)
    while digits < decimalDigits, number >= bound {
      digits += 1
      bound = bound &* 10
    }
    return digits
  }

  /// Two digits of every number below a hundred.
  @inlinable static var pairs: StaticString {
    """
    0001020304050607080910111213141516171819\
    2021222324252627282930313233343536373839\
    4041424344454647484950515253545556575859\
    6061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """
  }

  /// The most that a number of 64 bits has.
  @usableFromInline static var decimalDigits: Int { 20 }

  @usableFromInline @inline(never)
  mutating func appendSlowly(decimal number: UInt64) {
    if number >= 10 { append(decimal: number / 10) }
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }

  /// Appends part of what a task was asked, straight from its table.
  @inlinable @inline(__always)
  package mutating func append(_ part: Range<Int>, ofPayload slot: Int, in payloads: borrowing PayloadTable) {
    append(payloads.bytes(of: slot, part))
  }

  @inlinable @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    guard count <= room else { return appendInPieces(bytes) }
    guard let start = bytes.baseAddress else { return }
    cursor.copyMemory(from: start, byteCount: count)
    advance(count)
  }

  @inlinable @inline(__always)
  mutating func advance(_ count: Int) {
    cursor += count
    room &-= count
    byteCount &+= count
  }

  @usableFromInline @inline(never)
  mutating func appendInPieces(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
      if room == 0 { addBlock() }
      let count = min(rest.count, room)
      cursor.copyMemory(from: start, byteCount: count)
      advance(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  @usableFromInline @inline(never)
  mutating func addBlock() {
    settle()
    let block = pool.take(isFirst: first == nil)
    if let last { last.pointee.next = block } else { first = block }
    last = block
    cursor = UnsafeMutableRawPointer(block.bytes)
    room = block.pointee.capacityBytes
  }

  // MARK: Sending

  /// Gives the bytes to `write`, at most `chunksPerWrite` chunks at once, for as long as it takes all it was given;
  /// what it says it took is taken off. Rarely more than one call: that many chunks are a mebibyte.
  package mutating func send(_ write: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int) {
    settle()
    while byteCount > 0 {
      let (given, taken) = sendOnce(write)
      consume(taken)
      if taken < given { return }
    }
  }

  /// Notes how far the last block is filled.
  private func settle() {
    if let last { last.pointee.upper = last.pointee.capacityBytes - room }
  }

  private func sendOnce(
    _ write: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  ) -> (given: Int, taken: Int) {
    withUnsafeTemporaryAllocation(
      of: UnsafeRawBufferPointer.self, capacity: Self.chunksPerWrite
    ) { chunks in
      var (count, given) = (0, 0)
      var block = first
      while let current = block, count < chunks.count {
        let unsent = current.pointee.upper - current.pointee.lower
        let start = current.bytes + current.pointee.lower
        chunks.initializeElement(at: count, to: UnsafeRawBufferPointer(start: start, count: unsent))
        count += 1
        given += unsent
        block = current.pointee.next
      }
      return (given, write(UnsafeBufferPointer(rebasing: chunks[..<count])))
    }
  }

  private mutating func consume(_ count: Int) {
    precondition(count <= byteCount, "more was sent than there was")
    var rest = count
    byteCount -= count
    while rest > 0, let block = first {
      let available = block.pointee.upper - block.pointee.lower
      guard rest >= available else {
        block.pointee.lower += rest
        return
      }
      rest -= available
      removeFirst()
    }
  }

  package mutating func removeAll() {
    while first != nil { removeFirst() }
    byteCount = 0
  }

  private mutating func removeFirst() {
    guard let block = first else { return }
    first = block.pointee.next
    if first == nil {
      last = nil
      room = 0
    }
    pool.give(block)
  }
}
