/// The origin of a request, as watchers hear it.
package struct TaskOrigin: Hashable, Sendable {
  package let client: ClientID
  /// How many connections there were before it, itself included; of a POST that names a session, that of the first in it.
  package let connection: UInt64
  /// Each of its messages follows a head with `Content-Length`.
  package let hasHeads: Bool
  /// Nil of nobody in particular.
  package var principal: String?
  /// Nil of one that was gone before anybody asked.
  package var way: ClientWay?

  package init(client: ClientID, connection: UInt64, hasHeads: Bool = false, principal: String? = nil) {
    self.client = client
    self.connection = connection
    self.hasHeads = hasHeads
    self.principal = principal
  }

  /// The same of a client that is called otherwise.
  func at(_ client: ClientID) -> TaskOrigin {
    var other = TaskOrigin(
      client: client, connection: connection, hasHeads: hasHeads, principal: principal)
    other.way = way
    return other
  }

  /// As `/connections` has it; nil of one that was gone before anybody asked.
  package var transport: String? { way?.name(hasHeads: hasHeads) }
}
