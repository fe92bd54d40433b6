import GatewayCore
import JSONRPC
import TaskStore

/// Some fifty milliseconds of what happened to tasks, as the live page hears it; what is too much is counted only.
///
/// Each event is an array: a letter for its kind, milliseconds since the frame began, the task's generation, and what
/// else there is to say.
struct EventFrame {
  static let frameMilliseconds: UInt64 = 50
  static let limitEvents = 2_000
  /// The event that reaches it is the last one.
  static let limitBytes = 192 * 1024

  private(set) var eventCount = 0
  private(set) var mergedCount: UInt64 = 0
  private var startMilliseconds: UInt64 = 0
  private var events: [UInt8] = []

  /// How many events it still takes.
  var room: Int { events.count < Self.limitBytes ? Self.limitEvents - eventCount : 0 }
  var isEmpty: Bool { eventCount == 0 && mergedCount == 0 }

  mutating func add(_ journal: borrowing TaskJournal, at nowMilliseconds: UInt64) {
    if isEmpty { startMilliseconds = nowMilliseconds }
    var taken = 0
    // Keys are short or long: only after each event is it known whether there is room for one more.
    while taken < journal.events.count && room > 0 {
      add(journal.events[taken], journal.text)
      taken += 1
    }
    mergedCount += journal.leftOutCount + UInt64(journal.events.count - taken)
  }

  /// The frame's text; it is then empty again.
  mutating func take() -> [UInt8] {
    var text = Array("{\"t\":\(startMilliseconds),\"e\":[".utf8)
    text.append(contentsOf: events)
    text.append(contentsOf: "],\"merged\":\(mergedCount)}".utf8)
    events.removeAll(keepingCapacity: true)
    (eventCount, mergedCount) = (0, 0)
    return text
  }

  // MARK: Events

  private mutating func add(_ event: TaskEvent, _ text: [UInt8]) {
    if eventCount > 0 { append(",") }
    eventCount += 1
    append("[\"")
    append(Self.letter(event.kind))
    append("\",")
    // The journal is of turns after the frame began, or of the one in which it did.
    events.append(decimal: event.atMilliseconds - min(event.atMilliseconds, startMilliseconds))
    if case .rejected(let policy, let rejection) = event.kind {
      appendKey(event, text)
      append(",\"")
      append(policy.wireName)
      append("\",\"")
      append(rejection.name)
      return append("\"]")
    }
    append(",")
    events.append(decimal: event.generation)
    appendRest(of: event, text)
    append("]")
  }

  private static func letter(_ kind: TaskEvent.Kind) -> StaticString {
    switch kind {
    case .admitted: "a"
    case .joined: "j"
    case .rejected: "r"
    case .sent: "s"
    case .refused, .abandoned: "x"
    case .cancelSent: "c"
    case .answered: "d"
    case .ended: "z"
    }
  }

  private mutating func appendRest(of event: TaskEvent, _ text: [UInt8]) {
    switch event.kind {
    case .admitted(let policy):
      appendKey(event, text)
      append(",\"")
      append(policy.wireName)
      append("\",")
      if event.method.isEmpty { append("null") } else { events.append(contentsOf: text[event.method]) }
    case .refused(let reason, _, let effect, taskGoesOn: _):
      appendRefusal(reason, effect)
    case .abandoned:
      append(",\"abandoned\",null,null")
    case .answered(let isError):
      append(isError ? ",0" : ",1")
    case .ended(let ending):
      append(",")
      events.append(decimal: UInt64(ending.rawValue))
    case .joined, .rejected, .sent, .cancelSent: break
    }
  }

  private mutating func appendRefusal(_ reason: Refusal.Reason, _ effect: UpstreamEffect) {
    switch reason {
    case .superseded(let generation):
      append(",\"superseded\",")
      events.append(decimal: generation)
      append(",\"")
    case .cancelled: append(",\"cancelled\",null,\"")
    case .deadlineExceeded: append(",\"expired\",null,\"")
    case .upstreamUnavailable: append(",\"failed\",null,\"")
    case .shuttingDown: append(",\"shuttingDown\",null,\"")
    }
    append(effect.name)
    append("\"")
  }

  private mutating func appendKey(_ event: TaskEvent, _ text: [UInt8]) {
    append(",")
    guard !event.key.isEmpty else { return append("null") }
    MessageWriter.appendString(text.span.extracting(event.key), into: &events)
  }

  private mutating func append(_ text: StaticString) { events.append(text) }
}
