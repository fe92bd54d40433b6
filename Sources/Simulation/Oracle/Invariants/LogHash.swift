/// Invariant 12: the same seed gives the same log of events, byte for byte, which tests compare by its hash.
///
/// The FNV-1a hash of everything that happened in a history (Fowler, Noll, Vo; 64 bits).
struct LogHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes { add(byte) }
  }

  mutating func add(_ number: Int) {
    var rest = UInt64(bitPattern: Int64(number))
    repeat {
      add(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    } while rest > 0
    add(UInt8.max)
  }
}
