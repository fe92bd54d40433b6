import GatewayCore
import JSONRPC

/// An upstream as the oracle sees it: its options, its bounds, and what waits for it.
struct UpstreamView {
  let place: Int
  /// The client that has it for itself; -1: it is for all.
  let client: Int
  let links: Range<Int>
  /// They never change, but for what a configuration says where they do not, and for what one client may have.
  private let options: UpstreamOptions

  /// The longest that anything may wait for it, and the least, of all that were in force.
  private(set) var connectMilliseconds = 0
  private(set) var shortestConnectMilliseconds = Int.max
  private(set) var shortestAnswerMilliseconds = Int.max
  /// Unsent bytes that may clog it: the least bound of all configurations in force.
  private(set) var outputSoftBytes = Int.max
  /// Of the configuration in force; `.max`: for ever.
  private(set) var outputHardBytes = 0
  private(set) var answerMilliseconds = Int.max
  private(set) var inFlightLimit = 0
  /// Of one client; that in force.
  private(set) var share = 0
  private(set) var waitingLimit = 0
  /// The most that it may have been in this turn.
  private(set) var looseInFlightLimit = 0
  private(set) var looseShare = 0
  /// The least that it may have been.
  private(set) var tightShare = Int.max

  /// When the gateway last had no connection to it, in events.
  var lastDown = 0
  var isDown = true
  /// Since when, in milliseconds, if it has none now.
  var downSinceMilliseconds = World.startMilliseconds
  /// When a connection to it was last lost, in events.
  var lastLoss = 0
  /// The latest time at which any of its connections may have had an open circuit.
  var maybeOpenUntilMilliseconds = 0
  /// When all had last taken everything that the core had for them, in events, and whether any has not now.
  var lastClean = 0
  var isBacklogged = false
  /// A client's own that was lost: nothing goes there any more.
  var isLost = false
  /// Of a client's own upstream, each as the event in which it came: the newest notification that came (it may have
  /// been refused), the newest that surely passed, the newest notification that upstream saw, and the newest call that
  /// it saw.
  var lastNotification = 0
  var lastSureNotification = 0
  var newestSeenNotification = 0
  var newestSeenCall = 0
  /// A client's own that may be there.
  var mayExist = false

  /// Tasks that are for it and were not sent when the turn began.
  var unsent: [Int] = []
  /// The unsent tasks that surely waited for a connection or for room then.
  var waiting: [Int] = []
  /// Something was heard of its connections, or time has passed, in this turn.
  var isDisturbed = false
  /// Tasks and notifications seen in this turn, in order: the connection and the task; -1: not known.
  var seen: [(link: Int, task: Int)] = []
  /// By client and priority: whose tasks went before its waiting ones, and how many, since its own last turn.
  var passes: [Pass: [Int: Int]] = [:]
  /// The owners of the calls that it may have worked on when the turn began; -1: not known.
  var ownersBefore: [Int] = []

  /// The waiting tasks of a client at a level of priority.
  struct Pass: Hashable {
    var client: Int
    var priority: Int
  }

  /// The connection that was given work last; -1: not known.
  var lastUsed = -1

  init(_ numbering: UpstreamNumbering, _ upstream: Int, _ configuration: GatewayConfiguration) {
    place = numbering.place(of: upstream)
    client = numbering.client(of: upstream) ?? -1
    links = numbering.links(of: upstream)
    options = numbering.places[place]
    isReconfigured(configuration)
  }

  var isPrivate: Bool { client >= 0 }
  var takesExchanges: Bool { options.shape == .exchanges }
  var toleratesNoise: Bool { options.toleratesNoise }
  /// What it answers is right, in so far as it is an answer at all.
  var isTrusted: Bool { options.trustsAnswers }
  var passesTask: Bool { options.passesTask }
  var passesProgress: Bool { options.passesSharedProgress }
  /// A client that it is for hears what it says for a subscription.
  var namesSubscriptions: Bool {
    options.isPerConnection && options.shape == .connection && options.cancel == .mcp
  }
  var stopsWhenAborted: Bool { options.stopsWhenAborted }
  /// How messages to it are framed; nil: not at all.
  var framing: Framing? { options.shape == .exchanges ? nil : options.framing }
  var cancel: CancelDialect { options.cancel }
  var lastWordsMilliseconds: Int { Int(options.lastWordsMilliseconds) }

  mutating func isReconfigured(_ configuration: GatewayConfiguration) {
    let connect = Int(options.connectMilliseconds ?? configuration.connectMilliseconds)
    connectMilliseconds = max(connectMilliseconds, connect)
    shortestConnectMilliseconds = min(shortestConnectMilliseconds, connect)
    let answer = options.answerMilliseconds ?? configuration.answerMilliseconds
    answerMilliseconds = answer > 0 ? Int(answer) : .max
    shortestAnswerMilliseconds = min(shortestAnswerMilliseconds, answerMilliseconds)
    outputSoftBytes = min(outputSoftBytes, options.outputSoftBytes ?? configuration.upstreamOutputSoftBytes)
    outputHardBytes = options.outputHardBytes ?? configuration.upstreamOutputHardBytes
    inFlightLimit = options.inFlightPerEndpoint ?? configuration.inFlightPerEndpoint
    looseInFlightLimit = max(looseInFlightLimit, inFlightLimit)
    let inFlight = configuration.upstreams[place].inFlightPerConnection
    let all = inFlightLimit * options.endpoints
    share = inFlight ?? max(1, all * 3 / 4)
    if isPrivate || share >= all { share = .max }
    looseShare = max(looseShare, share)
    tightShare = min(tightShare, share)
    waitingLimit = options.waitingRequests ?? configuration.waitingPerUpstream
  }

  mutating func turnEnds() {
    looseInFlightLimit = inFlightLimit
    looseShare = share
    tightShare = share
    isDisturbed = false
    seen.removeAll(keepingCapacity: true)
  }

  /// Whether there was no connection at any time from this event on.
  func wasDown(since event: Int) -> Bool { isDown || lastDown >= event }
}

extension UpstreamOptions {
  /// Clients that share it hear progress of it.
  var passesSharedProgress: Bool { passesProgress && shape == .connection && !isPerConnection }
}
