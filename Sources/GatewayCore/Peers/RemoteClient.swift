import Identity
import JSONRPC

/// A client as another loop hears of it, before the first of its requests: there it has a mirror, for which everything
/// counts as it would for itself.
package struct RemoteClient: Sendable {
  /// Where it is at its own loop.
  package let slot: Int
  package let number: UInt64
  /// Tells it from clients that had its slot before, and maybe its number: POSTs of one session have the same.
  var serial: UInt64 = 0
  let listener: Int
  let kind: ClientKind
  let framing: Framing
  let credential: Credential?
  /// That of a POST, as it names it.
  let session: [UInt8]?
  /// Its listener's options when it came: a reload is for later clients. Members of a fleet do not send them.
  var options: ListenerOptions?
  /// Known to the shell alone.
  package var way: ClientWay?
  package var address: String?
}
