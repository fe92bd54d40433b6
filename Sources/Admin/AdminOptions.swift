package import Addresses

/// What the admin listener is opened with.
package struct AdminOptions: Sendable {
  package var address: SocketAddress
  /// Names, besides `localhost`, by which the pages may be asked for.
  package var hosts: [String] = []
  /// SHA-256 of the token that whoever asks has to have; nil: nobody needs one.
  package var tokenDigest: [UInt8]?
  package var connections = 64
  package var streams = 16
  /// How many bytes a stream may leave unsent, besides those on their way, before events are dropped.
  package var streamBytes = 256 * 1024
  /// How long the head of a request may take.
  package var headMilliseconds: UInt64 = 10_000
  /// How long a connection may stay open between requests.
  package var idleMilliseconds: UInt64 = 60_000
  /// How long a peer may read nothing of what is unsent.
  package var stallMilliseconds: UInt64 = 30_000
  /// How long a connection that is ended waits for its peer to end it, too.
  package var lingerMilliseconds: UInt64 = 1_000

  /// How long a connection that has said nothing keeps its place: who is about to ask has not asked at once.
  package var graceMilliseconds: UInt64 = 250

  package init(_ address: SocketAddress) { self.address = address }
}
