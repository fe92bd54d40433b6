/// A peer of `HTTPClients`: an HTTP connection, or what it became.
protocol HTTPPeer: AnyObject {
  /// Its place among the others.
  var place: Int { get set }
  /// It counts among the connections of clients, as it is no client of the core's itself.
  var isOfShell: Bool { get }
  /// Since when it has idled; nil: it does not, or may idle as long as it likes.
  var idleSinceMilliseconds: UInt64? { get }
  /// When it is to do something about time; nil: nothing.
  var dueMilliseconds: UInt64? { get }
  func timeIsUp()
  /// Something that the core has said to the end has not left, and the gateway is not to stop before it has.
  var owesAnswers: Bool { get }
  /// The gateway is to stop once it has answered what it was asked.
  func drain()
  /// It stops.
  func stop()
  /// Closes it at once, and has the core know.
  func cutOff()
}

extension HTTPPeer {
  var idleSinceMilliseconds: UInt64? { nil }
}
