import Client

/// One connection of a client, and how messages are put on it; a client that sends POSTs has several.
final class LoadLink {
  enum Framing {
    case lines
    case webSocket(WebSocketFraming)
    case posts(PostFraming)
  }

  /// The client's number.
  let lane: Int
  /// Its own number, among those of all clients.
  let place: Int
  /// Whether it sends only cancels.
  let isForCancels: Bool
  /// The connection; nil until it may send requests, and while it is opened again.
  var connection: ClientConnection?
  var framing = Framing.lines
  /// How often it went to another member of a fleet.
  var moves = 0
  /// Cancels the attempt to connect.
  var cancelAttempt: (() -> Void)?
  /// A POST is under way.
  var isBusy = false
  /// The number of the POST's request; 0: there is none, or it was answered.
  var asked: UInt64 = 0

  init(lane: Int, place: Int, isForCancels: Bool = false) {
    self.lane = lane
    self.place = place
    self.isForCancels = isForCancels
  }

  /// Sends what `write` appends: a message and a line feed.
  /// - Parameter scratch: room for it, which is empty.
  func send(_ scratch: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    guard let connection else { return }
    switch framing {
    case .lines: write(&connection.output)
    case .webSocket(let framing):
      write(&scratch)
      framing.frame(scratch.span.extracting(droppingLast: 1), into: &connection.output)
      scratch.removeAll(keepingCapacity: true)
    case .posts(let framing):
      write(&scratch)
      framing.head.write(scratch.span.extracting(droppingLast: 1), into: &connection.output)
      scratch.removeAll(keepingCapacity: true)
      isBusy = true
    }
    connection.sendSoon()
  }

  /// The status of the response that is being read; nil: it is no POST's.
  var status: Int? {
    if case .posts(let framing) = framing { framing.status } else { nil }
  }

  /// It has no connection any more, and nothing is under way.
  func forget() {
    connection = nil
    isBusy = false
    asked = 0
  }
}

@available(*, unavailable)
extension LoadLink: Sendable {}
