/// A number of four bytes that is used as an `Int`: a slot, or a count of what one message holds.
@propertyWrapper
struct Compact {
  private var stored: Int32

  init(wrappedValue: Int) { stored = Self.stored(wrappedValue) }

  var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Self.stored(newValue) }
  }

  @inline(__always)
  private static func stored(_ value: Int) -> Int32 {
    assert(Int32(exactly: value) != nil, "more than fits into four bytes")
    return Int32(truncatingIfNeeded: value)
  }
}
