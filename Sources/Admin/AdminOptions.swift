package import Addresses

/// The options of the admin listener.
package struct AdminOptions: Sendable {
  package var address: SocketAddress
  /// Host names, besides `localhost`, that requests may have in their `Host` field.
  package var hosts: [String] = []
  /// The SHA-256 of the token that requests have to have; nil: they need none.
  package var tokenDigest: [UInt8]?
  package var connections = 64
  package var streams = 16
  /// How many bytes a stream may leave unsent, besides those on their way, before events are dropped.
  package var streamBytes = 256 * 1024
  /// How long the head of a request may take to come.
  package var headMilliseconds: UInt64 = 10_000
  /// How long a connection may stay open between requests.
  package var idleMilliseconds: UInt64 = 60_000
  /// How long a peer may take none of the unsent output.
  package var stallMilliseconds: UInt64 = 30_000
  /// How long a connection that is ended waits for its peer to end it, too.
  package var lingerMilliseconds: UInt64 = 1_000

  /// How long a connection without a request keeps its place: a request may come a little after its connection.
  package var graceMilliseconds: UInt64 = 250

  package init(_ address: SocketAddress) { self.address = address }
}
