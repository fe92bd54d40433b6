import HTTP1

/// One reader of events: a response that stays open.
///
/// It never holds more unsent bytes than the options allow: events that do not fit are dropped and counted.
package final class EventStream {
  /// Called once when the reader, or the server, is gone.
  package var onClose: (() -> Void)?
  /// How many events were dropped, as the reader was too slow.
  package private(set) var droppedCount = 0
  /// How many events its reader has missed, and will be told the number of.
  var missedEventCount: UInt64 = 0
  private weak var connection: AdminConnection?

  init(over connection: AdminConnection) { self.connection = connection }

  package var isOpen: Bool { connection != nil }

  /// Sends an event behind those before it. Returns false if it did not fit, and was dropped.
  /// - Parameters:
  ///   - event: its name, for which the page listens; without line breaks.
  ///   - data: its text; each of its lines becomes a data line of the event.
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

  /// Called when its connection ends.
  func closed() {
    connection = nil
    let onClose = onClose
    self.onClose = nil
    onClose?()
  }
}

@available(*, unavailable)
extension EventStream: Sendable {}
