/// A client's connection as it is at one moment.
package struct ConnectionView: Hashable, Sendable {
  package let client: ClientID
  /// Where it is, as ADDRESS:PORT, and how it comes; nil: nobody has said it.
  package var address: String?
  package var way: ClientWay?
  /// How many connections there were before it, itself included.
  package let number: UInt64
  package let listener: Int
  /// Each of its messages follows a head with `Content-Length`.
  package let hasHeads: Bool
  /// Nil of nobody in particular.
  package let principal: String?
  /// Requests that wait for an answer, and tasks that have not ended.
  package let requests: Int
  package private(set) var tasks: Int
  /// Unread output and half-received input; what its tasks ask.
  package let heldBytes: Int
  package private(set) var requestBytes: Int
  /// It is another loop's: only what it has here is counted.
  package let isMirror: Bool

  /// With what it has at another loop.
  package func with(_ mirror: ConnectionView) -> ConnectionView {
    var sum = self
    sum.tasks += mirror.tasks
    sum.requestBytes += mirror.requestBytes
    return sum
  }
}
