/// The 16 KiB blocks that output queues are made of; freed ones are kept for the next queue, up to a bound.
package final class BlockPool {
  /// Bytes of one block, its header included.
  package static let blockBytes = 16 * 1024
  /// Free blocks kept for reuse; further ones go back to the allocator.
  package static let retainedBlocks = 256

  /// Where nothing is: a queue without a block points here, and has no room.
  let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
  private var free: UnsafeMutablePointer<OutputBlock>?
  private var freeCount = 0
  /// Blocks that queues hold at the moment.
  package private(set) var blocksInUse = 0

  package init() {}

  deinit {
    nowhere.deallocate()
    while let block = free {
      free = block.pointee.next
      UnsafeMutableRawPointer(block).deallocate()
    }
  }

  func take() -> UnsafeMutablePointer<OutputBlock> {
    blocksInUse += 1
    guard let block = free else {
      let raw = UnsafeMutableRawPointer.allocate(byteCount: Self.blockBytes, alignment: 16)
      return raw.initializeMemory(as: OutputBlock.self, repeating: OutputBlock(), count: 1)
    }
    free = block.pointee.next
    freeCount -= 1
    block.pointee = OutputBlock()
    return block
  }

  func give(_ block: UnsafeMutablePointer<OutputBlock>) {
    blocksInUse -= 1
    guard freeCount < Self.retainedBlocks else { return UnsafeMutableRawPointer(block).deallocate() }
    block.pointee.next = free
    free = block
    freeCount += 1
  }
}

@available(*, unavailable)
extension BlockPool: Sendable {}

/// The header at the start of a block; its bytes follow.
struct OutputBlock {
  static let capacityBytes = BlockPool.blockBytes - MemoryLayout<OutputBlock>.stride

  var next: UnsafeMutablePointer<OutputBlock>?
  /// The bytes not sent yet are `lower..<upper`.
  var lower = 0
  var upper = 0
}

extension UnsafeMutablePointer<OutputBlock> {
  /// Where the block's bytes begin: right behind its header, inside the same allocation.
  var bytes: UnsafeMutablePointer<UInt8> {
    (UnsafeMutableRawPointer(self) + MemoryLayout<OutputBlock>.stride).assumingMemoryBound(to: UInt8.self)
  }
}
