import GatewayCore
import HotData
import JSONRPC

/// Upstreams of every kind.
extension Knobs {
  static func upstream(using random: inout SplitMix64) -> UpstreamOptions {
    var options = UpstreamOptions(cancel: random.pick([.lsp, .lsp, .mcp, .none, .notification]))
    options.cancelNotification = CancelNotification(
      method: Spelling.stopMethod, member: Spelling.stopMember, isAnswered: random.oneIn(2))
    options.connectMilliseconds = random.pick([nil, nil, 20, 2_000])
    options.outputSoftBytes = random.pick([nil, nil, nil, 200])
    options.outputHardBytes = options.outputSoftBytes.map { $0 * 10 }
    options.passesTask = random.oneIn(4)
    shape(&options, using: &random)
    bound(&options, using: &random)
    return options
  }

  /// What one client may have of it changes while a gateway runs.
  static func shared(_ upstream: UpstreamOptions, using random: inout SplitMix64) -> UpstreamOptions {
    var options = upstream
    options.inFlightPerConnection = random.pick([nil, nil, 1, 2, 4, 1_000])
    return options
  }

  private static func shape(_ options: inout UpstreamOptions, using random: inout SplitMix64) {
    switch random.below(8) {
    case 0...1:
      options.shape = .exchanges
      options.cancel = random.oneIn(2) ? random.pick(CancelDialect.allCases) : .abort
      options.stopsWhenAborted = random.oneIn(2)
      options.endpoints = random.pick([1, 1, 3])
    case 2...3:
      options.isPerConnection = true
      // An answer of its client's that finds no room would end the connection.
      options.outputHardBytes = World.tightBytes * 16
    case 4: options.endpoints = random.pick([2, 3])
    default: break
    }
    guard options.shape == .connection else { return }
    options.framing = random.oneIn(3) ? .contentLength : .lines
    options.toleratesNoise = random.oneIn(3)
    options.trustsAnswers = options.framing == .lines && random.oneIn(2)
  }

  private static func bound(_ options: inout UpstreamOptions, using random: inout SplitMix64) {
    options.answerMilliseconds = random.pick([nil, nil, nil, 30, 2_000])
    options.inFlightPerEndpoint = random.pick([nil, nil, 1, 2])
    options.waitingRequests = random.pick([nil, nil, nil, 1, 2])
    // From a copy: how long it may speak changes nothing else of what is made up.
    var aside = random
    options.lastWordsMilliseconds = aside.pick([0, 0, 30, 2_000])
    options.relaysNotifications = options.shape == .exchanges && aside.oneIn(2)
    options.passesProgress = options.shape == .connection && !options.isPerConnection && aside.oneIn(2)
  }
}
