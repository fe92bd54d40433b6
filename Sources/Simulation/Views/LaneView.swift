/// A namespace and key, as they show from outside.
struct LaneView {
  /// From this event on, nothing below this generation may be answered, but for one that was spared.
  struct Barrier {
    var event: Int
    var generation: UInt64
    var spared: UInt64 = 0

    func forbids(_ delivery: Delivery) -> Bool {
      event < delivery.event && delivery.generation < generation && delivery.generation != spared
    }
  }

  /// An answer reached a caller: when it was handed to the core, and of which task.
  struct Delivery {
    var event: Int
    var generation: UInt64
  }

  /// Older ones are forgotten: what they forbid, newer ones forbid as well.
  static let barrierLimit = 16
  static let deliveryLimit = 32

  /// Tasks that have not ended, as far as is known.
  var tasks: [Int] = []
  /// Requests that were judged, some of them answered since.
  var requests: [Int] = []
  /// A request came and went with the same bytes: it may have joined a task, or have left one that drains.
  var hadUnseen = false
  /// When that last happened.
  var unseenMilliseconds = 0
  var barriers: [Barrier] = []
  var deliveries: [Delivery] = []
  /// The earliest time since which it may have superseded and delivered nothing.
  var staleSinceMilliseconds: Int?
  /// The latest; nil: it is not known to be so.
  var surelyStaleSinceMilliseconds: Int?
  /// When something may have been answered there, or it may have been empty for a moment: the turn.
  var disturbedTurn = 0
}
