/// A message that came in several chunks, in a buffer of its own with slack after it.
package struct AssembledMessage: ~Copyable {
  /// A buffer given back to a framer is kept for its next message when its capacity is at most this.
  package static let recycledCapacityLimitBytes = 4 * 1024

  var storage: [UInt8]
  /// Where the message lies in the span, without its header or line end.
  package let range: Range<Int>

  /// `storage` holds the message at `range`; the slack is added here.
  init(_ storage: consuming [UInt8], _ range: Range<Int>) {
    self.storage = storage
    self.range = range
    self.storage.append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
  }

  package func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span)
  }

  /// The buffer, emptied, if it is small enough to be kept.
  consuming func recycled() -> [UInt8]? {
    guard storage.capacity <= Self.recycledCapacityLimitBytes else { return nil }
    storage.removeAll(keepingCapacity: true)
    return storage
  }
}
