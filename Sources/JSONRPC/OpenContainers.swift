/// The objects and arrays that are open around a place, as one bit each: what lets nesting be checked
/// without recursion.
struct OpenContainers {
  private var objects: UInt128 = 0
  private var depth = 0
  private let limit: Int

  @inline(always)
  init(limit: Int) { self.limit = limit }

  @inline(always)
  var isEmpty: Bool { depth == 0 }

  /// Whether the innermost one is an object.
  @inline(always)
  var isInObject: Bool { objects & 1 == 1 }

  /// What ends the innermost one.
  @inline(always)
  var closing: Unicode.Scalar { isInObject ? "}" : "]" }

  /// False when `limit` of them are open already.
  @inline(always)
  mutating func open(isObject: Bool) -> Bool {
    guard depth < limit else { return false }
    depth &+= 1
    objects = objects &<< 1 | (isObject ? 1 : 0)
    return true
  }

  @inline(always)
  mutating func close() {
    depth &-= 1
    objects = objects &>> 1
  }
}
