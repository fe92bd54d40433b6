/// A sink that only counts, for headers that say how long the message behind them is.
package struct ByteCounter: ByteSink {
  package private(set) var byteCount = 0

  package init() {}

  package mutating func append(_ byte: UInt8) { byteCount += 1 }
  package mutating func append(_ text: StaticString) { byteCount += text.utf8CodeUnitCount }
  package mutating func append(_ bytes: Span<UInt8>) { byteCount += bytes.count }
  package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) { byteCount += range.count }

  package mutating func append(decimal number: UInt64) {
    var rest = number
    repeat {
      byteCount += 1
      rest /= 10
    } while rest > 0
  }
}
