/// What is true of a record or not, a bit each: there are as many records as requests or connections.
struct Bits<Word: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  private var word: Word = 0

  @inline(__always) var areNone: Bool { word == 0 }

  /// - Parameter bit: a number with one bit set.
  subscript(bit: Word) -> Bool {
    @inline(__always) get { word & bit != 0 }
    @inline(__always) set { if newValue { word |= bit } else { word &= ~bit } }
  }
}
