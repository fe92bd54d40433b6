import JSONRPC

/// Puts numbers and bytes together as members of a fleet tell them: the lowest byte first, texts behind their lengths.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// What is written follows these.
  package init(behind bytes: consuming [UInt8]) { self.bytes = bytes }

  package mutating func write(_ number: UInt8) { bytes.append(number) }

  package mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ text: some Collection<UInt8>) {
    write(UInt32(text.count))
    bytes.append(contentsOf: text)
  }

  package mutating func write(_ text: String) { write(Array(text.utf8)) }

  /// Absent ones differ from empty ones.
  package mutating func write(_ text: [UInt8]?) {
    write(UInt8(text == nil ? 0 : 1))
    if let text { write(text) }
  }

  /// The body's bytes stand behind their length, which is at most 4 GiB.
  package mutating func measured(_ body: (inout WireWriter) -> Void) {
    let start = bytes.count
    write(UInt32(0))
    body(&self)
    setLength(bytes.count - start - 4, at: start)
  }

  /// The length of what is written inside, its kind, and that.
  package mutating func frame(_ kind: UInt8, _ body: (inout WireWriter) -> Void) {
    let start = bytes.count
    write(UInt32(0))
    write(kind)
    body(&self)
    setLength(bytes.count - start - 5, at: start)
  }

  private mutating func setLength(_ length: Int, at start: Int) {
    let count = UInt32(length)
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: count >> UInt32(8 * index)) }
  }

  mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) { bytes.append(source, range) }
  mutating func append(contentsOf text: UnsafeBufferPointer<UInt8>) { unsafe bytes.append(contentsOf: text) }
}
