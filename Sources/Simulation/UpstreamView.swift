import GatewayCore

/// An upstream's connection as the oracle sees it.
struct UpstreamView {
  /// It never changes.
  let dialect: CancelDialect
  /// When the gateway last had no connection to it, in events.
  var lastDown = 0
  var isDown = true
  /// Since when, in milliseconds, if it has none now.
  var downSinceMilliseconds = World.startMilliseconds
  /// When it had last taken everything that the core had for it, in events, and whether it has now.
  var lastClean = 0
  var isBacklogged = false
  /// Connections so far.
  var connection = 0

  init(_ options: UpstreamOptions) { dialect = options.cancel }

  /// Whether there was no connection at any time from this event on.
  func wasDown(since event: Int) -> Bool { isDown || lastDown >= event }
}
