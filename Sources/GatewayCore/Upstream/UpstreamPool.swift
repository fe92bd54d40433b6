/// The connections to one upstream, and the tasks that wait for one of them.
struct UpstreamPool: ~Copyable {
  /// By its place in the configuration.
  let place: Int
  let options: UpstreamOptions
  let terms: UpstreamTerms
  /// The slot of the client that it is for; -1: for all.
  let client: Int
  /// Its client sends no more; what it says then still reaches that.
  var clientHasEnded = false
  var listensAtEnd = false
  /// Nothing is sent there any more; it goes with its last task.
  var isClosed = false
  /// The slots of its connections, one for each endpoint.
  var sessions: [Int] = []
  /// Its connection, if it has one and no more.
  @inline(__always)
  var only: Int? { sessions.count == 1 ? sessions[0] : nil }
  /// The same, of one that all share and that nothing waits for.
  @inline(__always)
  var fastSession: Int? { client < 0 && !terms.takesExchanges && !waiting.hasTurn ? only : nil }
  /// The next to be asked first whether it has room, so that equals share the work.
  var nextSession = 0
  /// Tasks that are kept for it, started or not.
  var calls = 0

  /// Tasks that wait for a connection or for room: by whose turn it is, and all of them by when they started.
  var waiting = WaitingLine()
  var arrivals = SlotList()
  var waitingCount = 0
  var waitingBytes = 0

  /// Of a client's own: requests that have not started, oldest first, and the newest notification that came.
  var heldBack = SlotList()
  var lastNotification: UInt64 = 0
  /// The same: by which it reports progress.
  var tokens = ProgressTokens()

  /// How long a task waits for a connection, and a connection may take to come.
  var connectMilliseconds: UInt64 = 0
  /// 0: for ever.
  var answerMilliseconds: UInt64 = 0
  /// Of each of its connections, and of all that one account has there.
  var inFlightLimit = 0
  var inFlightPerAccount = 0
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
    inFlightPerAccount = Self.inFlightPerAccount(options, inFlightLimit)
    waitingLimit = options.waitingRequests ?? configuration.waitingPerUpstream
    outputSoftBytes = options.outputSoftBytes ?? configuration.upstreamOutputSoftBytes
    outputHardBytes = options.outputHardBytes ?? configuration.upstreamOutputHardBytes
  }

  /// An upstream of a connection's own is all for that. Else one account gets three quarters, so that others always
  /// have the last. An account that may have all has no bound: its turn comes when there is room.
  private static func inFlightPerAccount(_ options: UpstreamOptions, _ inFlightLimit: Int) -> Int {
    let most = Int(Int32.max)
    let all = min(inFlightLimit, most) * options.endpoints
    let share = options.inFlightPerConnection ?? max(1, all * 3 / 4)
    return options.isPerConnection || share >= all ? most : min(share, most)
  }

  var takesExchanges: Bool { terms.takesExchanges }

  /// Forgets one of its tasks; returns whether it is closed.
  @inline(__always)
  mutating func forgetTask() -> Bool {
    calls -= 1
    return isClosed
  }
}
