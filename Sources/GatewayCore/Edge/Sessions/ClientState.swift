/// How a client's connection is served. It only ever goes on, to a state further down.
///
/// Whether the client itself still sends is another matter: it may send FIN in any of them (`ClientSession.hasEnded`).
enum ClientState: UInt16, Comparable {
  /// It is read from, and hears its answers.
  case serving
  /// An upstream of its own is gone: nothing more is read; it closes behind its last answers.
  case leaving
  /// Nothing more is read; it closes once its output is sent, even if requests are still open.
  case closing

  static func < (one: ClientState, other: ClientState) -> Bool { one.rawValue < other.rawValue }
}

/// Whether a client's connection closes with this turn, whatever it has not been sent. Until then it is served as before.
enum ClientEnd: UInt16, Comparable {
  case none
  case givenUp
  /// To make room: what the shell has still to send goes, too.
  case dropped

  static func < (one: ClientEnd, other: ClientEnd) -> Bool { one.rawValue < other.rawValue }
}
