import GatewayCore
import JSONRPC
import TaskStore

/// Judges a history from outside: by what was sent and seen, and by which requests are still open.
///
/// It knows nothing of how the gateway decides. It lets uncertain cases pass, so that each complaint is a violation: of
/// an invariant, by its number, or of the protocol.
struct Oracle {
  var records: [RecordView] = [RecordView(request: Request(number: 0))]
  var tasks: [TaskView] = []
  /// Where each of them is in the list.
  var taskOfID: [UInt64: Int] = [:]
  var lanes: [LaneView] = []
  var asks: [AskView] = [AskView()]
  /// By their numbers, which begin at 1.
  var answers: [AnswerView] = [AnswerView(task: -1, kind: .result, form: 0)]
  var clients: [ClientView] = []
  /// The clients in each session of POSTs, in the order in which they came.
  var sessions: [SessionIdentity: [Int]] = [:]
  /// What requests said of their order, for each client and key.
  var orders: [OrderName: OrderView] = [:]
  var principals = [PrincipalRecord](repeating: PrincipalRecord(), count: Population.principals)
  /// Requests of each batch.
  var batches: [[Int]] = []
  private(set) var configuration: GatewayConfiguration
  private(set) var bounds: Bounds
  private(set) var routing: Routing
  let numbering: UpstreamNumbering

  /// Counts events: every message that the core judges is one, and everything else that can end a task.
  var event = 0
  var nowMilliseconds = 0
  /// When the configuration was last read anew; long ago: never.
  private(set) var reloadedMilliseconds = -1_000_000
  var newestGeneration: UInt64 = 0
  /// By their numbers, and which of them may be used.
  var upstreams: [UpstreamView] = []
  var links: [LinkView] = []
  private(set) var active: [Int] = []
  /// Questions of upstreams, by their numbers.
  var questions: [QuestionView] = [QuestionView()]
  /// Where the clients' own notifications of cancelling go, by their numbers, that no upstream has seen.
  /// Counts what upstreams see.
  var sightOrder = 0
  /// What upstreams saw in this turn and has to be judged when all of it is known.
  var sights: [Int] = []
  /// Counts turns of the gateway's loop.
  var turn = 1
  /// Whether more was due than one turn has room for; the last such turn, and its time.
  var isLate = false
  private(set) var lateTurn = 0
  private(set) var lateMilliseconds = 0
  /// Tasks past their answer time: upstream is given up for them once nothing is late any more.
  var overdue: [Overdue] = []
  var isDraining = false
  var isShutDown = false
  var validRequests = 0
  /// Tasks whose callers were told of a cancel on its way to upstream, and tasks that must be undone.
  var owedCancels: [Int] = []
  var owedUndoings: [Int] = []
  /// Tasks whose only caller went with its connection: when their grace is over others must go on.
  var leftBehind: [Int] = []
  /// Before the bytes at hand came: what stood open, and how many lines they complete.
  var openBefore = (tasks: 0, callers: 0, lines: 0)
  /// Requests among the lines at hand, and those that a message among them took back.
  var arrivals: [Int] = []
  var takenBack: [Int] = []
  /// What the message at hand takes back it surely does: no quota may refuse it.
  var isCancelSure = true
  /// Requests that were admitted, and go over to what is newer.
  var followers: [Int] = []
  /// Requests that came together and are not open any more.
  var gone: [Int] = []
  /// Requests of this turn whose time is over at once.
  var timeless: [Int] = []
  /// The task that the only request at hand should join, and the one that it must spare; -1: none.
  var shouldJoin = -1
  /// It may have to join one, or may not.
  var isJoiningUnclear = false
  var shouldSpare = -1
  /// Tasks before the only request at hand whose requests said their order.
  var openOrders: [Int] = []
  /// When the burst began that the only request at hand goes on with; nil: it begins one, as far as is known.
  var burstAtHand: Int?
  /// The room for the only request at hand; nil: it is not known.
  var room: Room?
  /// Tasks that were forgotten to make room for others.
  var forgottenSoFar: UInt64 = 0
  var scratch: [UInt8] = []
  var coverage = Coverage()
  /// For the progress report handled next: the number of the answer behind it, and the callers that surely hear of it.
  var sureOfReport: (number: Int, callers: [Int]) = (0, [])
  private let verdict = Verdict()

  init(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
    bounds = Bounds(configuration)
    routing = Routing(configuration)
    numbering = UpstreamNumbering(configuration.upstreams)
    for upstream in configuration.upstreams.indices { know(upstream) }
    active = numbering.shared
  }

  mutating func isReconfigured(_ configuration: GatewayConfiguration) {
    self.configuration = configuration
    reloadedMilliseconds = nowMilliseconds
    bounds.loosen(configuration)
    for index in upstreams.indices {
      upstreams[index].isReconfigured(configuration)
      upstreams[index].isDisturbed = true
    }
    routing = Routing(configuration)
  }

  mutating func isBehind() {
    lateTurn = turn
    lateMilliseconds = nowMilliseconds
    coverage.count(.late)
  }

  // MARK: Complaints

  /// What is wrong, if anything.
  var complaint: String? { verdict.complaint }

  func complain(_ text: String) { verdict.complain(text) }

  func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { verdict.complain(text()) }
  }

  // MARK: Upstreams

  /// The upstreams that a client has for itself may be used from now on.
  mutating func knowUpstreams(of client: Int) {
    guard numbering.hasPrivate else { return }
    let own = numbering.upstreams(of: client)
    for upstream in own { know(upstream) }
    active += own
  }

  mutating func forgetUpstreams(of client: Int) {
    guard numbering.hasPrivate else { return }
    for upstream in numbering.upstreams(of: client) { upstreams[upstream].mayExist = false }
    active.removeAll { upstreams[$0].client == client }
  }

  private mutating func know(_ upstream: Int) {
    while upstreams.count <= upstream {
      upstreams.append(UpstreamView(numbering, upstreams.count, configuration))
    }
    while links.count < upstreams[upstream].links.upperBound { links.append(LinkView()) }
  }

  // MARK: What there is

  /// The lane of a key: its listener's or its connection's own; -1: one of which little is known.
  mutating func lane(_ label: Message.Label, of client: Int) -> Int {
    guard label.key >= 0, label.key != Spelling.twinKey else { return -1 }
    let view = clients[client]
    let isOwn = (label.scope ?? view.options.scope) == .connection
    let shared = view.listener * Person.namespaces + view.person.namespace
    let namespace = isOwn ? World.listeners * Person.namespaces + view.own : shared
    let lane = namespace * Spelling.keys.count + Int(label.key)
    while lanes.count <= lane { lanes.append(LaneView()) }
    return lane
  }

  /// The lanes that a client means by a key where it asks no upstream, as to cancel. Without a scope these are two: its
  /// listener's, and its connection's own.
  mutating func lanes(_ label: Message.Label, of client: Int) -> [Int] {
    var own = label
    own.scope = .connection
    let said = lane(label, of: client)
    guard label.scope == nil, clients[client].options.scope != .connection else { return [said] }
    return [said, lane(own, of: client)]
  }

  func task(withID id: UInt64) -> Int? {
    taskOfID[id]
  }

  mutating func add(_ task: TaskView) -> Int {
    if task.id != 0 { taskOfID[task.id] = tasks.count }
    tasks.append(task)
    if task.lane >= 0 { lanes[task.lane].tasks.append(tasks.count - 1) }
    return tasks.count - 1
  }
}
