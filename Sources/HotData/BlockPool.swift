/// The blocks that output queues are made of, a small one first: most have little to send, and there may be thousands.
///
/// Freed ones are kept for the next queue, up to a bound.
package final class BlockPool {
  /// Bytes of one block, its header included.
  package static let blockBytes = 16 * 1024
  /// The same of the first block of a queue.
  package static let smallBlockBytes = 1024
  /// Free blocks of each size kept for reuse; further ones go back to the allocator.
  package static let retainedBlocks = 256

  /// Where nothing is: a queue without a block points here, and has no room.
  let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
  @exclusivity(unchecked) private var large = FreeBlocks(blockBytes: BlockPool.blockBytes)
  @exclusivity(unchecked) private var small = FreeBlocks(blockBytes: BlockPool.smallBlockBytes)
  /// Blocks that queues hold at the moment.
  @exclusivity(unchecked) package private(set) var blocksInUse = 0

  package init() {}

  deinit {
    nowhere.deallocate()
    large.deallocate()
    small.deallocate()
  }

  func take(isFirst: Bool) -> UnsafeMutablePointer<OutputBlock> {
    blocksInUse += 1
    return isFirst ? small.take() : large.take()
  }

  func give(_ block: UnsafeMutablePointer<OutputBlock>) {
    blocksInUse -= 1
    if block.pointee.capacityBytes == large.capacityBytes { large.give(block) } else { small.give(block) }
  }
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

  mutating func take() -> UnsafeMutablePointer<OutputBlock> {
    guard let block = first else {
      let raw = UnsafeMutableRawPointer.allocate(byteCount: blockBytes, alignment: 16)
      let empty = OutputBlock(capacityBytes: capacityBytes)
      return raw.initializeMemory(as: OutputBlock.self, repeating: empty, count: 1)
    }
    first = block.pointee.next
    count -= 1
    block.pointee = OutputBlock(capacityBytes: capacityBytes)
    return block
  }

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
  }
}

/// The header at the start of a block; its bytes follow.
struct OutputBlock {
  var next: UnsafeMutablePointer<OutputBlock>?
  /// The bytes not sent yet are `lower..<upper`.
  var lower = 0
  var upper = 0
  let capacityBytes: Int

  init(capacityBytes: Int) { self.capacityBytes = capacityBytes }
}

extension UnsafeMutablePointer<OutputBlock> {
  /// Where the block's bytes begin: right behind its header, inside the same allocation.
  var bytes: UnsafeMutablePointer<UInt8> {
    (UnsafeMutableRawPointer(self) + MemoryLayout<OutputBlock>.stride).assumingMemoryBound(to: UInt8.self)
  }
}
