/// What a framer made of the bytes that have come so far.
@usableFromInline
package enum MessageFrame: Hashable, Sendable {
  /// All of the chunk was taken; what comes next is in the next one.
  case incomplete
  /// A message, in the chunk, without its header or line end.
  case inPlace(Range<Int>)
  /// A message that began in an earlier chunk: `takeAssembled()` gives it.
  case assembled
  /// A message passed the limit. It is said once; the rest of the message is discarded.
  case tooLong
  /// A header is wrong, so that nobody knows where the next message begins. It is said once; whatever comes
  /// after it is discarded.
  case badHeader

  init(_ frame: LineFramer.Frame) {
    switch frame {
    case .incomplete: self = .incomplete
    case .inPlace(let line): self = .inPlace(line)
    case .assembled: self = .assembled
    case .tooLong: self = .tooLong
    }
  }
}
