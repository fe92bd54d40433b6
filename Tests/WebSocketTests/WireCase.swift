import WebSocket

/// Frames, and what a reader has to make of them. Those with a fault end with the first byte that tells.
struct WireCase: CustomStringConvertible {
  let description: String
  let frames: [Frame]
  let events: [Reading.Event]

  init(_ name: String, _ frames: [Frame], _ events: [Reading.Event]) {
    description = name
    self.frames = frames
    self.events = events
  }

  /// Nothing is read behind it.
  var endsConnection: Bool {
    switch events.last {
    case .fault, .close: true
    default: false
    }
  }

  static let all =
    sizes + pings + reserved + fragments + texts + notTexts + closes + wrongCloses + lengths
}
