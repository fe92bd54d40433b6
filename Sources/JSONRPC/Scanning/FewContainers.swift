/// A few open objects and arrays: all that is known of them is in one register.
struct FewContainers: ContainerStack {
  private static let most = 60

  /// From the top: a one, a zero, and a bit for each container, the innermost last.
  private var bits: UInt64 = 0b10
  /// One more container may open while `bits` are below that.
  private let bound: UInt64

  @inline(always)
  init(limit: Int) { bound = 1 &<< UInt64(min(limit, Self.most) &+ 1) }

  var depth: Int { UInt64.bitWidth - 2 - bits.leadingZeroBitCount }
  var objects: UInt64 { bits ^ 1 &<< UInt64(depth + 1) }

  @inline(always)
  var isEmpty: Bool { bits == 0b10 }

  @inline(always)
  var isInObject: Bool { bits & 1 == 1 }

  /// The two brackets differ in one bit.
  @inline(always)
  var closing: UInt8 { UInt8(ascii: "]") | UInt8(truncatingIfNeeded: bits & 1) &<< 5 }

  /// The opening ones differ in one bit, too.
  @inline(always)
  mutating func open(_ bracket: UInt8) -> Bool {
    guard bits < bound else { return false }
    bits = bits &<< 1 | UInt64(bracket &>> 5 & 1)
    return true
  }

  @inline(always)
  mutating func close() { bits = bits &>> 1 }
}
