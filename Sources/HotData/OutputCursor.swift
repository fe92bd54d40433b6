/// Where a short message is written in one go: its place is in registers, and the queue hears of it once, at the end.
///
/// Invariant: what lies between `place` and `end` is room of one block.
@usableFromInline
package struct OutputCursor: ~Copyable {
  @usableFromInline var place: UnsafeMutableRawPointer
  @usableFromInline let end: UnsafeMutableRawPointer

  @inlinable @inline(__always)
  init(_ place: UnsafeMutableRawPointer, room: Int) {
    self.place = place
    end = place + room
  }

  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    precondition(place < end, "more than there was said to be")
    place.storeBytes(of: byte, as: UInt8.self)
    place += 1
  }

  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    precondition(count <= end - place, "more than there was said to be")
    // Of a literal the compiler makes a store or two.
    place.copyMemory(from: text.utf8Start, byteCount: count)
    place += count
  }

  @inlinable @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>) {
    bytes.withUnsafeBytes { append($0) }
  }

  @inlinable @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= end - place, "more than there was said to be")
    guard let start = bytes.baseAddress else { return }
    place.copyShort(from: start, byteCount: bytes.count)
    place += bytes.count
  }

  /// Appends a number in decimal digits.
  @inlinable @inline(__always)
  package mutating func append(decimal number: UInt64) {
    let digits = DecimalDigits(number)
    if let leading = digits.leading { appendLeading(leading) }
    append(digits.last, digits.lastCount)
  }

  @usableFromInline @inline(never)
  mutating func appendLeading(_ number: UInt64) { append(decimal: number) }

  /// Appends the first bytes of some words, as they lie in memory.
  @inlinable @inline(__always)
  package mutating func append(_ words: InlineArray<3, UInt64>, _ count: Int) {
    precondition(MemoryLayout<InlineArray<3, UInt64>>.size <= end - place && count <= 24)
    place.storeBytes(of: words, as: InlineArray<3, UInt64>.self)
    place += count
  }

  /// Appends the first bytes of a word, as it lies in memory.
  @inlinable @inline(__always)
  mutating func append(_ word: UInt64, _ count: Int) {
    precondition(MemoryLayout<UInt64>.size <= end - place && count <= 8, "more than there was said to be")
    place.storeBytes(of: word, as: UInt64.self)
    place += count
  }
}

extension [UInt8] {
  /// Writes at the end in one go: whether there is room, and whether the memory is its own, is looked at once.
  /// - Parameter limitBytes: as many as `body` may append, and 24 more where it writes words, of which not all bytes count.
  @inlinable @inline(__always)
  package mutating func write(upTo limitBytes: Int, _ body: (inout OutputCursor) -> Void) {
    append(addingCapacity: limitBytes) { output in
      output.withUnsafeMutableBufferPointer { room, count in
        guard let start = UnsafeMutableRawPointer(room.baseAddress) else { return }
        var cursor = OutputCursor(start, room: room.count)
        body(&cursor)
        count = cursor.place - start
      }
    }
  }
}
