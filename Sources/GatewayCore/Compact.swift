/// A number of four bytes that is used as an `Int`, a slot or a count of what one message holds: there are as many
/// records as requests.
@propertyWrapper
struct Compact {
  private var stored: Int32

  init(wrappedValue: Int) {
    assert(Int32(exactly: wrappedValue) != nil, "more than fits into four bytes")
    // Bounds on messages and tables keep it far smaller.
    stored = Int32(truncatingIfNeeded: wrappedValue)
  }

  var wrappedValue: Int {
    get { Int(stored) }
    set { self = Compact(wrappedValue: newValue) }
  }
}
