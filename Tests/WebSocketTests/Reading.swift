import WebSocket

/// What a reader makes of bytes.
struct Reading: Equatable {
  enum Event: Equatable {
    case text(String)
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, String)
    case fault(WebSocketFault)
  }

  var events: [Event] = []
  /// What has come of a message that has not ended.
  private(set) var rest: [UInt8] = []
  /// How many bytes were read until there was a fault.
  private(set) var byteCountAtFault: Int?

  /// - Parameter cuts: where the pieces begin in which the bytes come, but for the first; in their order.
  init(_ bytes: [UInt8], _ end: WebSocketEnd, limitBytes: Int = 1 << 20, cuts: [Int] = []) {
    var reader = WebSocketReader(end, limitBytes: limitBytes)
    for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
      read(Array(bytes[start..<end]), &reader)
      if hasFault {
        byteCountAtFault = end
        // It stays one.
        read([0x81, 0x80, 0, 0, 0, 0], &reader)
        return
      }
    }
  }

  private var hasFault: Bool { if case .fault = events.last { true } else { false } }

  private mutating func read(_ bytes: [UInt8], _ reader: inout WebSocketReader) {
    var offset = 0
    // Each step reads something, but for the last.
    for _ in 0...bytes.count + 1 {
      let before = rest
      let progress = reader.next(in: bytes.span, count: bytes.count, from: &offset, into: &rest)
      switch progress {
      case .more:
        precondition(offset == bytes.count, "it stopped early")
        return
      case .text(let isEnd):
        if !isEnd { continue }
        events.append(.text(String(validating: rest, as: UTF8.self) ?? "no text"))
        rest = []
      case .ping(let content): events.append(.ping(content))
      case .pong(let content): events.append(.pong(content))
      case .close(let code, let reason):
        events.append(.close(code?.number, reason))
        // The message that it cuts off is none.
        rest = []
      case .fault(let fault):
        precondition(rest == before, "something was appended with a fault")
        rest = []
        if !hasFault { events.append(.fault(fault)) }
        return
      }
    }
    preconditionFailure("it does not get on")
  }

  /// Whether the same was read; of where a fault was found nothing is said.
  static func == (one: Reading, other: Reading) -> Bool {
    one.events == other.events && one.rest == other.rest
  }
}
