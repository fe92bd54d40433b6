/// What is true of a record or not, a bit each: there are as many records as requests or connections.
struct Bits<Word: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  private var word: Word = 0

  @inline(__always) var areNone: Bool { word == 0 }

  @inline(__always) func areNone(_ bits: Word) -> Bool { word & bits == 0 }

  /// The number that neighbouring bits are together.
  @inline(__always) func number(_ bits: Word) -> Word { (word & bits) >> Word(bits.trailingZeroBitCount) }
  @inline(__always) mutating func set(_ bits: Word, _ number: Word) {
    word = word & ~bits | (number << Word(bits.trailingZeroBitCount)) & bits
  }

  /// - Parameter bit: a number with one bit set.
  subscript(bit: Word) -> Bool {
    @inline(__always) get { word & bit != 0 }
    @inline(__always) set { if newValue { word |= bit } else { word &= ~bit } }
  }
}
