/// The objects and arrays that are open around a place: what lets nesting be checked without recursion.
protocol ContainerStack {
  var isEmpty: Bool { get }
  /// Whether the innermost one is an object.
  var isInObject: Bool { get }
  /// What ends the innermost one.
  var closing: UInt8 { get }
  /// - Parameter bracket: an opening one.
  /// - Returns: false when so many are open already.
  mutating func open(_ bracket: UInt8) -> Bool
  mutating func close()
}

/// As many of them as may be, as one bit each.
struct OpenContainers: ContainerStack {
  private static let wordBits = UInt128.bitWidth

  private var objects: UInt128 = 0
  /// The words of the outer ones, outermost first, once there are more than one word holds.
  private var outer: [UInt128] = []
  private var depth = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// - Parameter limit: that of `few` or, where that could not be so large, a larger one.
  init(_ few: FewContainers, limit: Int) {
    objects = UInt128(few.objects)
    depth = few.depth
    self.limit = limit
  }

  @inline(always)
  var isEmpty: Bool { depth == 0 }

  @inline(always)
  var isInObject: Bool { objects & 1 == 1 }

  @inline(always)
  var closing: UInt8 { isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

  @inline(always)
  mutating func open(_ bracket: UInt8) -> Bool { open(isObject: bracket == UInt8(ascii: "{")) }

  /// False when `limit` of them are open already.
  @inline(always)
  mutating func open(isObject: Bool) -> Bool {
    guard depth < limit else { return false }
    if depth > 0 && depth % Self.wordBits == 0 { outer.append(objects) }
    depth &+= 1
    objects = objects &<< 1 | (isObject ? 1 : 0)
    return true
  }

  @inline(always)
  mutating func close() {
    depth &-= 1
    objects = objects &>> 1
    if depth > 0 && depth % Self.wordBits == 0 { objects = outer.removeLast() }
  }
}

/// The same, of few of them: all that is known of them is in one register.
struct FewContainers: ContainerStack {
  private static let most = 60

  /// From the top: a one, a zero, and a bit for each container, the innermost last.
  private var bits: UInt64 = 0b10
  /// What opens one more must be below that.
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
