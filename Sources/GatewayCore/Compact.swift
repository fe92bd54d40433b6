/// A number of four bytes that is used as an `Int`: a slot, or a count of what one message holds.
@propertyWrapper
struct Compact {
  private var stored: Int32

  init(wrappedValue: Int) { stored = Int32(wrappedValue) }

  var wrappedValue: Int {
    get { Int(stored) }
    set {
      assert(Int32(exactly: newValue) != nil, "more than fits into four bytes")
      stored = Int32(truncatingIfNeeded: newValue)
    }
  }
}
