/// The bytes that one connection has still to send: a chain of pooled blocks, filled at the end, sent from the front.
///
/// Invariant: `first` is nil exactly when there is no block; only the last block is filled, in the `room` bytes from
/// `cursor` on, and there is no room in one that leads to shared bytes; no block but the first has sent bytes. Blocks never move, so what a write was given stays in place
/// until `consume`. The last block's `upper` is only right once `settle` has been called.
@usableFromInline
package struct OutputQueue: ~Copyable {
  /// Chunks handed to one write: libuv and the kernel take more, but no socket buffer holds more.
  package static let chunksPerWrite = 64

  /// Held by hand: the compiler would hold it once more for each use.
  private let heldPool: Unmanaged<BlockPool>
  private var first: UnsafeMutablePointer<OutputBlock>?
  private var last: UnsafeMutablePointer<OutputBlock>?
  /// Where the next byte goes in the last block, and how many fit there.
  @usableFromInline var cursor: UnsafeMutableRawPointer
  @usableFromInline package private(set) var byteCount = 0
  /// In four bytes and last, so that a connection has no gaps: no block is as large as they say.
  @usableFromInline var roomBytes: UInt32 = 0

  package init(pool: BlockPool) {
    heldPool = Unmanaged.passRetained(pool)
    cursor = pool.nowhere
  }

  @inline(__always)
  private func withPool<Result>(_ body: (BlockPool) -> Result) -> Result {
    heldPool._withUnsafeGuaranteedRef(body)
  }

  deinit {
    var block = first
    while let current = block {
      block = current.pointee.next
      withPool { $0.give(current) }
    }
    heldPool.release()
  }

  @inlinable package var isEmpty: Bool { byteCount == 0 }

  @inlinable var room: Int {
    @inline(__always) get { Int(roomBytes) }
    @inline(__always) set { roomBytes = UInt32(truncatingIfNeeded: newValue) }
  }

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

  /// Appends a number in decimal digits.
  @usableFromInline
  package mutating func append(decimal number: UInt64) {
    let digits = DecimalDigits(number)
    if let leading = digits.leading { append(decimal: leading) }
    withUnsafeBytes(of: digits.last) { append(UnsafeRawBufferPointer(rebasing: $0[..<digits.lastCount])) }
  }

  /// A message of this size fits into any block that is still empty.
  @usableFromInline static var smallestRoom: Int { 512 }
  /// A longer message would leave too much of a block unused.
  @usableFromInline static var longestInOneGo: Int { 4 * 1024 }

  /// Writes a short message in one go, in a block of its own where the last has not the room for it.
  /// - Parameter limitBytes: as many as `body` may append, and 24 more: it may write words, of which not all bytes count.
  /// - Returns: false if it may be too long for that.
  @inlinable @inline(__always)
  package mutating func write(upTo limitBytes: Int, _ body: (inout OutputCursor) -> Void) -> Bool {
    if limitBytes > room {
      if limitBytes <= Self.smallestRoom {
        addBlock(for: limitBytes)
      } else {
        guard limitBytes <= Self.longestInOneGo else { return false }
        addLongBlock(for: limitBytes)
      }
    }
    var cursor = OutputCursor(self.cursor, room: room)
    body(&cursor)
    advance(cursor.place - self.cursor)
    return true
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
  mutating func addBlock(for byteCount: Int = 1) {
    settle()
    let block = last == nil ? withPool { $0.takeFirst() } : takeFurther(for: byteCount)
    link(block)
    cursor = UnsafeMutableRawPointer(block.bytes)
    room = block.pointee.capacityBytes
  }

  /// One that has room for more than any has.
  @usableFromInline @inline(never)
  mutating func addLongBlock(for byteCount: Int) {
    settle()
    let fitsSmall = byteCount <= BlockPool.smallBlockBytes - MemoryLayout<OutputBlock>.stride
    let block = withPool { last == nil && fitsSmall ? $0.takeFirst() : $0.take(.usual) }
    link(block)
    cursor = UnsafeMutableRawPointer(block.bytes)
    room = block.pointee.capacityBytes
  }

  @inline(never)
  private func takeFurther(for byteCount: Int) -> UnsafeMutablePointer<OutputBlock> {
    let place = place(for: byteCount)
    return withPool { $0.take(place) }
  }

  private func place(for byteCount: Int) -> BlockPool.Place {
    guard let last else { return .usual }
    let fitsBehindShared = byteCount <= BlockPool.tailBlockBytes - MemoryLayout<OutputBlock>.stride
    return last.pointee.shared != nil && fitsBehindShared ? .behindShared : .usual
  }

  private mutating func link(_ block: UnsafeMutablePointer<OutputBlock>) {
    if let last { last.pointee.next = block } else { first = block }
    last = block
  }

  /// Appends bytes without a copy of them.
  package mutating func append(_ shared: SharedBytes) {
    guard shared.count > 0 else { return }
    settle()
    link(withPool { $0.takeReference(to: shared) })
    room = 0
    byteCount += shared.count
  }

  // MARK: Sending

  /// Gives the bytes to `write`, at most `chunksPerWrite` chunks at once, for as long as it takes all it was given;
  /// what it says it took is taken off. Rarely more than one call: that many chunks are a mebibyte.
  package mutating func send(_ write: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int) {
    settle()
    // Mostly there is one block, and all of it is taken.
    if let block = first, block == last, byteCount > 0 { return send(block, write) }
    sendChain(write)
  }

  @inline(never)
  private mutating func sendChain(_ write: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int) {
    while byteCount > 0 {
      let (given, taken) = sendOnce(write)
      consume(taken)
      if taken < given { return }
    }
  }

  /// Sends the only block.
  @inline(__always)
  private mutating func send(
    _ block: UnsafeMutablePointer<OutputBlock>,
    _ write: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  ) {
    let chunk = UnsafeRawBufferPointer(start: block.bytes + block.pointee.lower, count: byteCount)
    let taken = withUnsafePointer(to: chunk) { write(UnsafeBufferPointer(start: $0, count: 1)) }
    guard taken == byteCount else { return consume(taken) }
    byteCount = 0
    removeFirst()
  }

  /// Notes how far the last block is filled.
  private func settle() {
    if let last, last.pointee.shared == nil { last.pointee.upper = last.pointee.capacityBytes - room }
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
    withPool { $0.give(block) }
  }
}
