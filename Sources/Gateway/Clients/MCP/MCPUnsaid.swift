/// What is to be said to the client of a session, and has not been.
struct MCPUnsaid {
  /// With its line feed.
  let line: [UInt8]
  /// Which request it belongs to, if to any.
  let request: UInt64?
  /// Under which its client is asked something; empty: it is a notification.
  var question: [UInt8] = []
  /// Some of an answer that comes in pieces.
  var isPiece = false
  /// Nothing follows over its stream.
  var isAnswer = false

  /// So much memory it takes besides its line.
  static let ownBytes = 128
}
