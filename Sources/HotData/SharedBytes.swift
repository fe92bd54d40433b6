/// Bytes that several output queues send and none of them has a copy of; they go with the last that has still to.
package final class SharedBytes {
  let bytes: UnsafeMutablePointer<UInt8>
  package let count: Int
  private let pool: BlockPool

  /// - Parameter breaksLines: false: what could end a line becomes a space.
  package init(_ source: Span<UInt8>, breaksLines: Bool, pool: BlockPool) {
    count = source.count
    bytes = .allocate(capacity: max(1, source.count))
    self.pool = pool
    for index in source.indices {
      let byte = source[index]
      let isBreak = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      bytes[index] = isBreak && !breaksLines ? UInt8(ascii: " ") : byte
    }
    pool.hold(source.count)
  }

  deinit {
    bytes.deallocate()
    pool.hold(-count)
  }
}

@available(*, unavailable)
extension SharedBytes: Sendable {}
