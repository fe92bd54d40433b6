/// A number of four bytes that is used as an `Int`: there are as many records as requests.
@propertyWrapper
struct Compact {
  private var stored: Int32

  init(wrappedValue: Int) { stored = Int32(wrappedValue) }

  var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(newValue) }
  }
}
