/// A power of two of small numbers, or -1, at places that are counted round and round.
struct ProbeTable: ~Copyable {
  private let places: UnsafeMutablePointer<Int32>
  private let mask: Int

  /// - Parameter count: a power of two.
  init(count: Int) {
    precondition(count > 0 && count & (count - 1) == 0, "a power of two")
    mask = count - 1
    places = TableMemory.allocate(count, of: Int32.self)
    places.initialize(repeating: -1, count: count)
  }

  deinit { TableMemory.free(places, mask + 1) }

  var count: Int { mask &+ 1 }

  /// No bounds are checked: a place that was counted round is one.
  subscript(place: Int) -> Int32 {
    @inline(__always) get {
      StepMeter.step()
      return places[place & mask]
    }
    @inline(__always) set { places[place & mask] = newValue }
  }

  /// How many places one is before another.
  @inline(__always)
  func distance(from first: Int, to second: Int) -> Int { (second &- first) & mask }
}
