/// Where tasks go: the connections that carry them there, and those tasks that wait for one.
struct Upstream: ~Copyable {
  /// Levels of priority: 0 to one less.
  static let priorities = 10

  /// By its place in the configuration.
  let place: Int
  let options: UpstreamOptions
  let terms: UpstreamTerms
  /// The slot of the client that it is for; -1: for all.
  let client: Int
  /// Nothing is sent there any more; it goes with its last task.
  var isClosed = false
  /// The slots of its connections, one for each endpoint.
  var sessions: [Int] = []
  /// The next to be asked first whether it has room, so that equals share the work.
  var nextSession = 0
  /// Tasks that are kept for it, started or not.
  var calls = 0

  /// Tasks that wait for a connection or for room: those of each level, and all of them by when they started.
  var waiting = InlineArray<10, WaitingLine>(repeating: WaitingLine())
  var arrivals = SlotList()
  var waitingCount = 0
  var waitingBytes = 0

  /// Of a client's own: requests that have not started, oldest first, and the newest notification that came.
  var heldBack = SlotList()
  var lastNotification: UInt64 = 0

  /// How long a task waits for a connection, and a connection may take to come.
  var connectMilliseconds: UInt64 = 0
  /// 0: for ever.
  var answerMilliseconds: UInt64 = 0
  var inFlightLimit = 0
  var waitingLimit = 0
  /// Above the soft bound of unsent output tasks stay here, above the hard one they are refused.
  var outputSoftBytes = 0
  var outputHardBytes = 0

  init(place: Int, client: Int = -1, _ configuration: GatewayConfiguration) {
    self.place = place
    options = configuration.upstreams[place]
    terms = UpstreamTerms(options)
    self.client = client
    keep(configuration)
  }

  /// Keeps to the bounds of a configuration from now on.
  mutating func keep(_ configuration: GatewayConfiguration) {
    let options = configuration.upstreams[place]
    connectMilliseconds = options.connectMilliseconds ?? configuration.connectMilliseconds
    answerMilliseconds = options.answerMilliseconds ?? configuration.answerMilliseconds
    inFlightLimit = options.inFlightPerEndpoint ?? configuration.inFlightPerEndpoint
    waitingLimit = options.waitingRequests ?? configuration.waitingPerUpstream
    outputSoftBytes = options.outputSoftBytes ?? configuration.upstreamOutputSoftBytes
    outputHardBytes = options.outputHardBytes ?? configuration.upstreamOutputHardBytes
  }

  var takesExchanges: Bool { terms.takesExchanges }

  /// Forgets one of its tasks; returns whether it is closed.
  @inline(__always)
  mutating func forgetTask() -> Bool {
    calls -= 1
    return isClosed
  }

  /// The highest level of those that wait; there must be one.
  var firstLevel: Int {
    var level = Self.priorities - 1
    while waiting[level].isEmpty { level -= 1 }
    return level
  }
}
