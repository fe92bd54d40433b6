/// One reader of events as they happen: an answer that stays open.
///
/// It never keeps more for its reader than the options say: events that do not fit are dropped, and counted.
package final class EventStream {
  /// Called once when the reader, or the server, is gone.
  package var onClose: (() -> Void)?
  /// Events that the reader was too slow for.
  package private(set) var droppedCount = 0
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
    let isTaken = connection.sendEvent(Self.frame(event, data))
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

  private static func frame(_ event: String, _ data: some Sequence<UInt8>) -> [UInt8] {
    let isBreak: (UInt8) -> Bool = { $0 == 0x0a || $0 == 0x0d }
    var frame = Array("event: ".utf8) + event.utf8.filter { !isBreak($0) }
    frame.append(contentsOf: "\ndata: ".utf8)
    for byte in data {
      if isBreak(byte) { frame.append(contentsOf: "\ndata: ".utf8) } else { frame.append(byte) }
    }
    frame.append(contentsOf: "\n\n".utf8)
    return frame
  }
}

@available(*, unavailable)
extension EventStream: Sendable {}
