/// A client's connection as it is at one moment.
package struct ConnectionView: Hashable, Sendable {
  package let client: ClientID
  /// How many connections there were before it, itself included.
  package let number: UInt64
  package let listener: Int
  /// Each of its messages follows a head with `Content-Length`.
  package let hasHeads: Bool
  /// Nil of nobody in particular.
  package let principal: String?
  /// Requests that wait for an answer, and tasks that have not ended.
  package let requests: Int
  package let tasks: Int
  /// Unread output and half-received input; what its tasks ask.
  package let heldBytes: Int
  package let requestBytes: Int
}
