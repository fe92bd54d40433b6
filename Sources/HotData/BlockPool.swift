/// The blocks that output queues are made of, a small one first: most have little to send, and there may be thousands.
///
/// Freed ones are kept for the next queue, up to a bound.
@usableFromInline
package final class BlockPool {
  /// Bytes of one block, its header included.
  package static let blockBytes = 16 * 1024
  /// The same of the first block of a queue.
  package static let smallBlockBytes = 1024
  /// The same of one behind shared bytes, of which a queue may have many: the end of one answer and the beginning of
  /// the next.
  package static let tailBlockBytes = 256
  /// Free blocks of each size kept for reuse; further ones go back to the allocator.
  package static let retainedBlocks = 256

  /// Where nothing is: a queue without a block points here, and has no room.
  let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
  @exclusivity(unchecked) private var large = FreeBlocks(blockBytes: BlockPool.blockBytes)
  @exclusivity(unchecked) private var small = FreeBlocks(blockBytes: BlockPool.smallBlockBytes)
  @exclusivity(unchecked) private var tails = FreeBlocks(blockBytes: BlockPool.tailBlockBytes)
  /// Blocks that only refer to shared bytes.
  @exclusivity(unchecked) private var references = FreeBlocks(blockBytes: MemoryLayout<OutputBlock>.stride)
  /// Blocks that queues hold at the moment.
  @exclusivity(unchecked) package private(set) var blocksInUse = 0

  @usableFromInline struct Amounts {
    @usableFromInline var bytesInUse = 0
    @usableFromInline var limitBytes = Int.max

    @inlinable init() {}
  }

  /// Apart, for other modules look at it all the time: what they use of an object's is checked for overlaps.
  @usableFromInline let amounts = InPlace(Amounts())

  package init() {}

  /// Bytes of these blocks, and of what queues share, once for all of them.
  @inlinable package private(set) var bytesInUse: Int {
    @inline(__always) get { amounts.value.bytesInUse }
    @inline(__always) set { amounts.value.bytesInUse = newValue }
  }
  /// So many should be in use; whoever fills queues looks at it.
  @inlinable package var limitBytes: Int {
    @inline(__always) get { amounts.value.limitBytes }
    @inline(__always) set { amounts.value.limitBytes = newValue }
  }
  @inlinable @inline(__always) package var isOverLimit: Bool { bytesInUse > limitBytes }
  /// Whether more than so many bytes are in use.
  @inlinable @inline(__always) package func holdsMore(than byteCount: Int) -> Bool { bytesInUse > byteCount }

  deinit {
    nowhere.deallocate()
    large.deallocate()
    small.deallocate()
    tails.deallocate()
    references.deallocate()
  }

  /// Gives the free blocks back to the allocator.
  package func giveBackMemory() {
    large.deallocate()
    small.deallocate()
    tails.deallocate()
    references.deallocate()
  }

  enum Place { case behindShared, usual }

  /// The first block of a queue.
  @inline(__always)
  func takeFirst() -> UnsafeMutablePointer<OutputBlock> {
    blocksInUse &+= 1
    amounts.value.bytesInUse &+= small.blockBytes
    return small.take()
  }

  @inline(__always)
  func take(_ place: Place) -> UnsafeMutablePointer<OutputBlock> {
    blocksInUse += 1
    switch place {
    case .behindShared:
      bytesInUse += tails.blockBytes
      return tails.take()
    case .usual:
      bytesInUse += large.blockBytes
      return large.take()
    }
  }

  func takeReference(to shared: SharedBytes) -> UnsafeMutablePointer<OutputBlock> {
    blocksInUse += 1
    bytesInUse += references.blockBytes
    let block = references.take()
    block.pointee.shared = Unmanaged.passRetained(shared)
    block.pointee.upper = shared.count
    return block
  }

  @inline(__always)
  func give(_ block: UnsafeMutablePointer<OutputBlock>) {
    blocksInUse &-= 1
    amounts.value.bytesInUse &-= block.pointee.capacityBytes &+ MemoryLayout<OutputBlock>.stride
    switch block.pointee.capacityBytes {
    case small.capacityBytes: small.give(block)
    case large.capacityBytes: large.give(block)
    case tails.capacityBytes: tails.give(block)
    default:
      let shared = block.pointee.shared
      references.give(block)
      shared?.release()
    }
  }

  func hold(_ byteCount: Int) { bytesInUse += byteCount }
}

@available(*, unavailable)
extension BlockPool: Sendable {}

/// Blocks of one size that no queue holds.
private struct FreeBlocks {
  let blockBytes: Int
  private var first: UnsafeMutablePointer<OutputBlock>?
  private var count = 0

  init(blockBytes: Int) { self.blockBytes = blockBytes }

  var capacityBytes: Int { blockBytes - MemoryLayout<OutputBlock>.stride }

  @inline(__always)
  mutating func take() -> UnsafeMutablePointer<OutputBlock> {
    guard let block = first else { return make() }
    first = block.pointee.next
    count -= 1
    block.pointee = OutputBlock(capacityBytes: capacityBytes)
    return block
  }

  @inline(never)
  private func make() -> UnsafeMutablePointer<OutputBlock> {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16)
    let empty = OutputBlock(capacityBytes: capacityBytes)
    return raw.initializeMemory(as: OutputBlock.self, repeating: empty, count: 1)
  }

  @inline(__always)
  mutating func give(_ block: UnsafeMutablePointer<OutputBlock>) {
    guard count < BlockPool.retainedBlocks else { return UnsafeMutableRawPointer(block).deallocate() }
    block.pointee.next = first
    first = block
    count += 1
  }

  mutating func deallocate() {
    while let block = first {
      first = block.pointee.next
      UnsafeMutableRawPointer(block).deallocate()
    }
    count = 0
  }
}

/// The header at the start of a block; its bytes follow.
struct OutputBlock {
  var next: UnsafeMutablePointer<OutputBlock>?
  /// The bytes not sent yet are `lower..<upper`.
  var lower = 0
  var upper = 0
  let capacityBytes: Int
  /// Its bytes, where they are not its own, held by it; it is never filled.
  var shared: Unmanaged<SharedBytes>?

  init(capacityBytes: Int) { self.capacityBytes = capacityBytes }
}

extension UnsafeMutablePointer<OutputBlock> {
  /// Where the block's bytes begin: those that it shares, or right behind its header, inside the same allocation.
  var bytes: UnsafeMutablePointer<UInt8> {
    if let shared = pointee.shared { return shared._withUnsafeGuaranteedRef { $0.bytes } }
    return (UnsafeMutableRawPointer(self) + MemoryLayout<OutputBlock>.stride).assumingMemoryBound(
      to: UInt8.self)
  }
}
