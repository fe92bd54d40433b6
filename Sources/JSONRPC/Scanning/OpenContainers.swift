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
