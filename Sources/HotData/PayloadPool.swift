/// Pieces of memory in classes of size; freed ones are kept for the next of their class, up to a bound.
///
/// Invariant: a free piece begins with the address of the next free one of its class.
@usableFromInline
struct PayloadPool: ~Copyable {
  /// Free bytes kept for reuse; more go back to the allocator.
  @inlinable static var retainedBytes: Int { 4 * 1024 * 1024 }
  /// Larger pieces have pages of their own, which go back to the system.
  @inlinable static var largestBytes: Int { 64 * 1024 }

  // Pieces of 24, 40, 56 … 1016 bytes, which the allocator rounds no further, then powers of two.
  @inlinable static var smallestBytes: Int { 24 }
  @inlinable static var stepBits: Int { 4 }
  @inlinable static var stepBytes: Int { 1 << stepBits }
  @inlinable static var fineClasses: Int { 63 }
  @inlinable static var finestPower: Int { 10 }
  @inlinable static var classes: Int { fineClasses + largestBytes.trailingZeroBitCount - finestPower + 1 }

  @usableFromInline var free = SlotArray(empty: FreePieces(), count: classes)
  @usableFromInline private(set) var freeByteCount = 0
  /// Pieces with pages of their own that nobody holds any more: to give all of them back at once can take long.
  @usableFromInline private(set) var released: [PagedPiece] = []

  @usableFromInline init() {
    for index in free.indices { free[index].capacityBytes = Self.capacity(index) }
  }

  @inlinable deinit {
    for index in free.indices {
      var pieces = free[index]
      while let piece = pieces.take() { piece.deallocate() }
    }
    freeReleased()
  }

  /// Memory that nobody holds any more, and that is not given back yet.
  @inlinable var holdsReleased: Bool { !released.isEmpty }

  /// Gives back about so much of it.
  mutating func giveBackReleased(upTo byteCount: Int) {
    var left = byteCount
    while left > 0, let piece = released.popLast() {
      TableMemory.free(piece.base, Self.capacity(piece.sizeClass))
      left -= Self.capacity(piece.sizeClass)
    }
  }

  @usableFromInline
  func freeReleased() {
    for piece in released { TableMemory.free(piece.base, Self.capacity(piece.sizeClass)) }
  }

  /// Frees a piece at once.
  /// - Parameter byteCount: what it was taken for.
  static func free(_ bytes: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
    let index = sizeClass(byteCount)
    if index < classes { bytes.deallocate() } else { TableMemory.free(bytes, capacity(index)) }
  }

  /// Memory for so many bytes, at least one.
  @inline(__always)
  mutating func take(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
    let index = Self.sizeClass(byteCount)
    guard index < Self.classes, let piece = free[index].take() else { return allocate(index) }
    freeByteCount &-= free[index].capacityBytes
    return piece.assumingMemoryBound(to: UInt8.self)
  }

  /// - Parameter byteCount: what it was taken for.
  @inlinable @inline(__always)
  mutating func give(_ bytes: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
    let index = Self.sizeClass(byteCount)
    guard index < Self.classes, freeByteCount < Self.retainedBytes else { return release(bytes, index) }
    free[index].give(UnsafeMutableRawPointer(bytes))
    freeByteCount &+= free[index].capacityBytes
  }

  /// The beginning of a piece, in one of the size that it needs.
  /// - Parameter byteCount: what it was taken for.
  mutating func shorten(
    _ bytes: UnsafeMutablePointer<UInt8>, from byteCount: Int, to shorter: Int
  ) -> UnsafeMutablePointer<UInt8> {
    if Self.sizeClass(byteCount) == Self.sizeClass(shorter), byteCount <= Self.largestBytes { return bytes }
    let target = take(shorter)
    target.update(from: bytes, count: shorter)
    give(bytes, byteCount)
    return target
  }

  @inline(never)
  private mutating func allocate(_ index: Int) -> UnsafeMutablePointer<UInt8> {
    if index < Self.classes { return .allocate(capacity: Self.capacity(index)) }
    if let piece = released.last, piece.sizeClass == index {
      released.removeLast()
      return piece.base
    }
    return TableMemory.allocate(Self.capacity(index), of: UInt8.self)
  }

  @usableFromInline @inline(never)
  mutating func release(_ bytes: UnsafeMutablePointer<UInt8>, _ index: Int) {
    if index < Self.classes { return bytes.deallocate() }
    released.append(PagedPiece(base: bytes, sizeClass: index))
  }

  @inlinable @inline(__always)
  static func sizeClass(_ byteCount: Int) -> Int {
    let fine = (max(byteCount, smallestBytes) &- smallestBytes &+ stepBytes &- 1) >> stepBits
    if fine < fineClasses { return fine }
    return fineClasses &+ Int.bitWidth &- (byteCount &- 1).leadingZeroBitCount &- finestPower
  }

  /// The size of the pieces of a class.
  @inline(__always)
  private static func capacity(_ index: Int) -> Int {
    index < fineClasses
      ? smallestBytes &+ index << stepBits : 1 << (index &- fineClasses &+ finestPower)
  }
}

/// One that has pages of its own.
@usableFromInline
struct PagedPiece {
  let base: UnsafeMutablePointer<UInt8>
  let sizeClass: Int
}
