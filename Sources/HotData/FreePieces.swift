/// Pieces of one size that nobody holds.
@usableFromInline
struct FreePieces {
  @usableFromInline var capacityBytes = 0
  @usableFromInline var first: UnsafeMutableRawPointer?

  @inlinable @inline(__always)
  mutating func take() -> UnsafeMutableRawPointer? {
    guard let piece = first else { return nil }
    first = piece.load(as: UnsafeMutableRawPointer?.self)
    return piece
  }

  @inlinable @inline(__always)
  mutating func give(_ piece: UnsafeMutableRawPointer) {
    piece.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
    first = piece
  }
}
