/// The bytes that one connection has still to send: a chain of pooled blocks, filled at the end, sent from the front.
///
/// Invariant: `first` is nil exactly when the queue is empty; only the last block may have room; no block but
/// the first has sent bytes. Blocks never move, so what a write was given stays in place until `consume`.
package struct OutputQueue: ~Copyable {
  /// Chunks handed to one write: libuv and the kernel take more, but no socket buffer holds more.
  package static let chunksPerWrite = 64

  private let pool: BlockPool
  private var first: UnsafeMutablePointer<OutputBlock>?
  private var last: UnsafeMutablePointer<OutputBlock>?
  package private(set) var byteCount = 0

  package init(pool: BlockPool) { self.pool = pool }

  deinit {
    var block = first
    while let current = block {
      block = current.pointee.next
      pool.give(current)
    }
  }

  package var isEmpty: Bool { byteCount == 0 }

  // MARK: Filling

  package mutating func append(_ byte: UInt8) {
    let block = blockWithRoom()
    block.bytes[block.pointee.upper] = byte
    block.pointee.upper += 1
    byteCount += 1
  }

  package mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBytes { append($0) }
  }

  package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    bytes.extracting(range).withUnsafeBytes { append($0) }
  }

  /// Appends a number in decimal digits.
  package mutating func append(decimal number: UInt64) {
    var rest = number
    var digits: InlineArray<20, UInt8> = .init(repeating: 0)
    var start = 20
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    append(digits.span, start..<20)
  }

  /// Appends part of what a task was asked, straight from its table.
  package mutating func append(_ part: Range<Int>, ofPayload slot: Int, in payloads: borrowing PayloadTable) {
    append(payloads.bytes(of: slot, part))
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0 {
      let block = blockWithRoom()
      let count = min(rest.count, OutputBlock.capacityBytes - block.pointee.upper)
      UnsafeMutableRawPointer(block.bytes + block.pointee.upper).copyMemory(from: start, byteCount: count)
      block.pointee.upper += count
      byteCount += count
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  private mutating func blockWithRoom() -> UnsafeMutablePointer<OutputBlock> {
    if let last, last.pointee.upper < OutputBlock.capacityBytes { return last }
    let block = pool.take()
    if let last { last.pointee.next = block } else { first = block }
    last = block
    return block
  }

  // MARK: Sending

  /// Gives the bytes to `write`, at most `chunksPerWrite` chunks at once, for as long as it takes all it was given;
  /// what it says it took is taken off. Rarely more than one call: that many chunks are a mebibyte.
  package mutating func send(_ write: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int) {
    while byteCount > 0 {
      let (given, taken) = sendOnce(write)
      consume(taken)
      if taken < given { return }
    }
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
    if first == nil { last = nil }
    pool.give(block)
  }
}
