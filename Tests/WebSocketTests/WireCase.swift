import WebSocket

/// Frames, and what a reader has to make of them. Those with a fault end with the first byte that tells.
///
/// All are from RFC 6455. The Autobahn test suite, which is the usual one, needs Python 2, and that is not to be had here;
/// what its groups 1 to 7 ask is in `sizes` (1), `pings` (2), `reserved` (3 and 4), `fragments` (5), `texts` and `notTexts`
/// (6), and `closes` and `wrongCloses` (7).
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
