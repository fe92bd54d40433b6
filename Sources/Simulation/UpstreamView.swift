import GatewayCore

/// An upstream's connection as the oracle sees it.
struct UpstreamView {
  /// They never change.
  private let options: UpstreamOptions
  /// The longest that anything may wait for it, and the least that may clog it, of all that were in force.
  private(set) var connectMilliseconds = 0
  private(set) var outputSoftBytes = Int.max
  /// Of the configuration in force.
  private(set) var outputHardBytes = 0
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

  init(_ options: UpstreamOptions, _ configuration: GatewayConfiguration) {
    self.options = options
    isReconfigured(configuration)
  }

  mutating func isReconfigured(_ configuration: GatewayConfiguration) {
    let connect = options.connectMilliseconds ?? configuration.connectMilliseconds
    connectMilliseconds = max(connectMilliseconds, Int(connect))
    outputSoftBytes = min(outputSoftBytes, options.outputSoftBytes ?? configuration.upstreamOutputSoftBytes)
    outputHardBytes = options.outputHardBytes ?? configuration.upstreamOutputHardBytes
  }

  /// Whether there was no connection at any time from this event on.
  func wasDown(since event: Int) -> Bool { isDown || lastDown >= event }
}
