package import LibUV
package import TaskStore

/// A closed loop: so many connections, each with so many requests open at any time.
package struct LoadOptions: Sendable {
  package var address: SocketAddress
  package var connections = 64
  /// Requests open at once on each connection.
  package var depth = 16
  /// Keys of each connection; none of them is shared with another.
  package var keys = 16
  /// nil: requests carry no key.
  package var policy: DuplicatePolicy? = .cancel
  package var method = "echo"
  /// Bytes of padding in each request's params.
  package var paddingBytes = 64
  package var milliseconds: UInt64 = 5_000
  /// Ends earlier once so many requests were sent; 0: no such bound.
  package var requests: UInt64 = 0
  /// How long answers may take once nothing is sent any more.
  package var patienceMilliseconds: UInt64 = 10_000
  package var seed: UInt64 = 1
  /// Whether a result must be the params it was asked with, as the built-in `echo` gives them.
  package var expectsEcho = true

  package init(address: SocketAddress) { self.address = address }
}
