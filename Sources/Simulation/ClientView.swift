import GatewayCore

/// A connection as the oracle sees it.
struct ClientView {
  var listener = 0
  /// What was special about its listener when it connected.
  var options = ListenerOptions()
  /// Requests that were judged, some of them answered since.
  var requests: [Int] = []
  /// Some of them had the same id: nobody knows which of those are answered.
  var hadTwins = false
  var hadBatches = false
  /// Replies with an id of null: how many may have come, must have come, and have come.
  var nullsAllowed: [Int: Int] = [:]
  var nullsDue: [Int: Int] = [:]
  var nullsHeard: [Int: Int] = [:]
}
