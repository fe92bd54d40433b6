/// A slot or a count of bytes that is used as an `Int`, kept in four bytes: there are as many records as requests.
@propertyWrapper
struct Compact {
  private var stored: Int32

  init(wrappedValue: Int) {
    assert(Int32(exactly: wrappedValue) != nil)
    // Bounds on messages and tables keep them far smaller.
    stored = Int32(truncatingIfNeeded: wrappedValue)
  }

  var wrappedValue: Int {
    get { Int(stored) }
    set { self = Compact(wrappedValue: newValue) }
  }
}
