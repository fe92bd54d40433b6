import Fleet
import GatewayCore

/// A process of a fleet: its calls to the engine, the answers and watch events that are still on their way, and its two
/// loops.
struct SimulatedMember {
  enum State { case running, stopped, gone }

  var membership: Membership
  var state = State.running
  /// Under its present name; else what it asks for has not been acknowledged yet.
  var hasJoined = false
  let clocks: SimulatedClocks
  /// What happens to it ends by then, in the scene's time.
  var stoppedUntil: Int64 = 0
  var cutUntil: Int64 = 0
  var slowUntil: Int64 = 0
  var deafUntil: Int64 = 0
  /// Nobody gets a link to it until then.
  var barredUntil: Int64 = 0
  /// It is told to leave then.
  var leavesAt = Int64.max
  /// It has been asked to, unless it is the last.
  var staysIfLast = false
  var nextTickAt: Int64 = 0
  /// On their way, with the time of their arrival.
  var asked: [(at: Int64, request: EngineRequest)] = []
  var answers: [(at: Int64, number: UInt64, answer: EngineAnswer, header: EngineHeader)] = []
  /// How many of the engine's changes it has been told, and when it hears the next; nil: not even the initial state.
  var watched: Int?
  var nextWatchAt: Int64 = 0

  /// By partition that its loop has been told to give away: the epoch under which it has it.
  var draining: [Int: UInt32] = [:]
  /// When it last gave one away, with whatever had not ended, or had lost one.
  var gaveAwayAt = Int64.min
  /// The same of all that the loop knows to be its own.
  var owned: [Int: UInt32] = [:]
  /// The same of all that may have no generation left.
  var spent: [Int: UInt32] = [:]

  /// By partition: the last epoch under which it had it and left it.
  var left: [Int: UInt32] = [:]

  // MARK: Its loops

  /// That with its clients, and the one that has its partitions.
  let edge: SimulatedLoop
  let owner: SimulatedLoop
  var view: FleetView
  /// What the loop with the partitions is told, and does once it does not stand still.
  var told: [(SimulatedLoop) -> Void] = []
  /// It stands still in the middle of a turn: what that has led to has not been said.
  var isHeldInTurn = false
  /// What they have told each other and has not been heard.
  var toOwner: [PeerBatch] = []
  var toEdge = LeasedMail()
  /// What leads from its clients to other members' partitions, by their places.
  var links: [Int: SimulatedFleetLink] = [:]
  /// By place of its owner: whose clients' link ends there.
  var incoming: [Int: (asking: Int, link: Int)] = [:]
  /// Links of which it will find out then that they are over.
  var ending: [(at: Int64, place: Int, asking: Int, link: Int)] = []
  var nextPingAt: Int64 = 0
  /// Requests at its upstream: the gateway's id, which request that is, and until when it runs.
  var working: [(id: String, request: Int, until: Int64)] = []
  /// The same of requests that undo.
  var undoing: [(id: String, request: Int, until: Int64)] = []
  /// What it has written to its upstream is held back until then.
  var heldUntil: Int64 = 0
  var heldBack: [FleetScene.Written] = []
  /// Answers of its upstream that it has not read.
  var unheard: [String] = []

  init(
    _ membership: Membership, _ configuration: GatewayConfiguration, clocks: SimulatedClocks, partitions: Int,
    seed: UInt64, at now: Int64, number: Int
  ) {
    self.membership = membership
    self.clocks = clocks
    func loop(_ place: Int) -> SimulatedLoop {
      SimulatedLoop(
        configuration,
        LoopPlace(number: place, of: 2, seed: seed, isInFleet: true, partitions: partitions),
        nowMilliseconds: clocks.loopTime(at: now), salt: UInt64(number) << 8)
    }
    edge = loop(0)
    owner = loop(1)
    view = FleetView(partitions: partitions, places: 2..<LoopPlace.mostInFleet)
  }

  /// When it was last kept from beating, or its beats from coming, by something that does not happen to all.
  var hinderedUntil: Int64 { max(stoppedUntil, cutUntil, slowUntil, deafUntil) }

  func isSlow(at time: Int64) -> Bool { time < slowUntil }
  func isCut(at time: Int64) -> Bool { time < cutUntil }
}
