/// What reading a stream of requests, or of responses, comes to next.
package enum HTTPProgress<Head: HTTPMessageHead>: Equatable {
  /// All bytes are read.
  case more
  /// If its framing is `none`, the message is whole.
  case head(Head)
  /// These of the bytes are the content's next.
  case content(Range<Int>)
  /// The content has ended, and the message with it.
  case end
  /// No message can come any more: where it would begin is not known.
  case fault(HTTPFault)
}
