/// One reader of events as they happen: an answer that stays open.
///
/// It never keeps more for its reader than the options say: events that do not fit are dropped, and counted.
package final class EventStream {
  /// Called once when the reader, or the server, is gone.
  package var onClose: (() -> Void)?
  /// Events that the reader was too slow for.
  package private(set) var droppedCount = 0
  /// What happened that its reader has not been told, and will be told the number of.
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
    let data = Array(data)
    var frame = Array("event: ".utf8) + event.utf8.filter { !isBreak($0) }
    frame.reserveCapacity(frame.count + data.count + 16)
    var start = 0
    while start <= data.count {
      let end = data[start...].firstIndex(where: isBreak) ?? data.count
      frame.append(contentsOf: "\ndata: ".utf8)
      frame.append(contentsOf: data[start..<end])
      start = end + 1
    }
    frame.append(contentsOf: "\n\n".utf8)
    return frame
  }

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
}

@available(*, unavailable)
extension EventStream: Sendable {}
