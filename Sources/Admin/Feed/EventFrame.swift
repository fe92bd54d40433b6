import GatewayCore

/// The events of tasks in some fifty milliseconds, as the live page gets them; events that do not fit are only counted.
struct EventFrame {
  static let frameMilliseconds: UInt64 = 50
  static let limitEvents = 2_000
  /// The event that reaches this bound is the last one of the frame.
  static let limitBytes = 192 * 1024

  private(set) var eventCount = 0
  private(set) var mergedCount: UInt64 = 0
  private var startMilliseconds: UInt64 = 0
  private var events: [UInt8] = []
  private var origins = FrameOrigins()

  /// How many more events fit.
  var room: Int { events.count + origins.json.count < Self.limitBytes ? Self.limitEvents - eventCount : 0 }
  var isEmpty: Bool { eventCount == 0 && mergedCount == 0 }

  mutating func add(_ journal: borrowing TaskJournal, at nowMilliseconds: UInt64) {
    if isEmpty { startMilliseconds = nowMilliseconds }
    var taken = 0
    // Maps an origin's place in the journal to its place in the frame; -1: no event of the frame has needed it.
    var places = [Int](repeating: -1, count: journal.origins.count)
    // Keys differ in length, so the room is checked after each event.
    while taken < journal.events.count && room > 0 {
      let event = journal.events[taken]
      if event.origin >= 0, places[event.origin] < 0 {
        places[event.origin] = origins.place(of: journal.origins[event.origin])
      }
      add(event, journal.text, origin: event.origin < 0 ? nil : places[event.origin])
      taken += 1
    }
    mergedCount += journal.leftOutCount + UInt64(journal.events.count - taken)
  }

  /// Returns the frame's text, and empties the frame.
  mutating func take() -> [UInt8] {
    let text = text()
    removeAll()
    return text
  }

  /// - Parameter missedCount: events of earlier frames that did not reach the reader.
  func text(missedCount: UInt64 = 0) -> [UInt8] {
    var text = Array("{\"t\":\(startMilliseconds),\"e\":[".utf8)
    text.append(contentsOf: events)
    text.append(contentsOf: "],\"from\":[".utf8)
    text.append(contentsOf: origins.json)
    text.append(contentsOf: "],\"merged\":\(mergedCount + missedCount)}".utf8)
    return text
  }

  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    origins.removeAll()
    (eventCount, mergedCount) = (0, 0)
  }

  // MARK: Events

  private mutating func add(_ event: TaskEvent, _ text: [UInt8], origin: Int?) {
    // An event may be older than the frame by part of a turn: then its offset is 0.
    let offset = event.atMilliseconds - min(event.atMilliseconds, startMilliseconds)
    let isFirst = eventCount == 0
    let limitBytes = EventText.ownLimitBytes + 6 * event.key.count + event.method.count
    eventCount += 1
    events.append(addingCapacity: limitBytes) { output in
      if !isFirst { output.append(",") }
      EventText.write(event, text.span, offsetMilliseconds: offset, origin: origin, into: &output)
    }
  }
}
