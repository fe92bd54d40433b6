/// A message that came in several chunks, in a buffer of its own with slack after it.
package struct AssembledMessage: ~Copyable {
  /// A buffer given back to a framer is kept for its next message when its capacity is at most this.
  package static let recycledCapacityLimitBytes = 4 * 1024

  private static let slack = [UInt8](repeating: 0, count: JSONText.slackByteCount)

  private var storage: [UInt8]
  /// Where the message lies in the span.
  package let range: Range<Int>
  /// The verdict on a message that was checked while it came.
  package let verdict: JSONCheck.Verdict?

  /// Takes `buffer`, which holds the message without its header or line end, and leaves an empty one; the slack is added
  /// here.
  ///
  /// Buffers change hands by swapping: an array that two variables name for a moment would be copied.
  init(taking buffer: inout [UInt8], _ check: JSONCheck?) {
    range = buffer.indices
    verdict = check?.verdict(in: buffer.span)
    storage = []
    swap(&storage, &buffer)
    storage.append(contentsOf: Self.slack)
  }

  package func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span)
  }

  /// Gives the buffer, emptied, to a framer that has none, if it is small enough to be kept.
  consuming func recycle(into buffer: inout [UInt8]) {
    guard buffer.isEmpty, storage.capacity <= Self.recycledCapacityLimitBytes else { return }
    storage.removeAll(keepingCapacity: true)
    swap(&storage, &buffer)
  }
}
