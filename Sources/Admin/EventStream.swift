import HTTP1

/// One reader of events as they happen: an answer that stays open.
///
/// It never keeps more for its reader than the options say: events that do not fit are dropped, and counted.
package final class EventStream {
  /// Called once when the reader, or the server, is gone.
  package var onClose: (() -> Void)?
  /// Events that the reader was too slow for.
  package private(set) var droppedCount = 0
  /// How many events its reader has missed, and will be told the number of.
  var missedEventCount: UInt64 = 0
  private weak var connection: AdminConnection?

  init(over connection: AdminConnection) { self.connection = connection }

  package var isOpen: Bool { connection != nil }

  /// Returns whether it was taken: it leaves at once, or as soon as what is before it has.
  /// - Parameters:
  ///   - event: the name that the page listens for; without line breaks.
  ///   - data: text; each of its lines becomes one of the event's.
  @discardableResult
  package func send(event: String, data: some Sequence<UInt8>) -> Bool {
    guard let connection else { return false }
    var frame: [UInt8] = []
    ServerSentEvent.write(type: event, data: data, into: &frame)
    let isTaken = connection.sendEvent(frame)
    if !isTaken { droppedCount += 1 }
    return isTaken
  }

  @discardableResult
  package func send(event: String, data: String) -> Bool { send(event: event, data: data.utf8) }

  package func close() { connection?.end() }

  /// Its connection ends.
  func closed() {
    connection = nil
    let onClose = onClose
    self.onClose = nil
    onClose?()
  }
}

@available(*, unavailable)
extension EventStream: Sendable {}
