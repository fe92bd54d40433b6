/// A line that came in several chunks, in a buffer of its own with slack after it.
package struct AssembledLine: ~Copyable {
  var storage: [UInt8]
  /// Where the line lies in the span, without its line end.
  package let range: Range<Int>

  package func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span)
  }
}
