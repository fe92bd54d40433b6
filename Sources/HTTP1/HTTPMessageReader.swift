/// Decides what messages a peer's bytes are, or why they are none, however the bytes are cut.
///
/// Lines are as RFC 9112 spells them: with CR and LF, and without folding.
package protocol HTTPMessageReader {
  associatedtype Head: HTTPMessageHead

  /// Reads on to the next thing that can be said, or to the end of the first `count` bytes.
  mutating func next(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> HTTPProgress<Head>
}
