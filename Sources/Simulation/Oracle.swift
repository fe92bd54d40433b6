import GatewayCore
import JSONRPC
import TaskStore

/// Judges a history from outside: by what was sent, what was seen, and which requests are still open.
///
/// It knows nothing of how the gateway decides. What it cannot know for certain it lets pass, so that every
/// complaint is a violation: of an invariant, by its number, or of the protocol.
struct Oracle {
  var records: [RecordView] = [RecordView(request: Request(number: 0))]
  var tasks: [TaskView] = []
  /// The newest task of each slot, by the lower bits of its id.
  var taskOfSlot: [Int] = []
  var lanes: [LaneView] = []
  var asks: [AskView] = [AskView()]
  /// By their numbers, which begin at 1.
  var answers: [AnswerView] = [AnswerView(task: -1, kind: .result, form: 0)]
  var clients: [ClientView] = []
  let configuration: GatewayConfiguration

  /// Counts events: every message that the core judges is one, and everything else that can end a task.
  var event = 0
  var nowMilliseconds = 0
  var newestGeneration: UInt64 = 0
  /// When the gateway last had no upstream connection, in events.
  var lastDown = 0
  var isDown = true
  /// When upstream had last taken everything that the core had for it, in events, and whether it has now.
  var lastClean = 0
  var isBacklogged = false
  var isDraining = false
  var isShutDown = false
  var validRequests = 0
  /// Upstream connections so far.
  var connection = 0
  /// Tasks whose callers were told that a cancel is on its way.
  var owedCancels: [Int] = []
  /// Before the bytes at hand came: what stood open, and how many lines they complete.
  var openBefore = (tasks: 0, callers: 0, lines: 0)
  /// Requests among the lines at hand.
  var arrivals: [Int] = []
  /// Requests that a message at hand took back.
  var takenBack: [Int] = []
  var scratch: [UInt8] = []
  var coverage = Coverage()
  private let verdict = Verdict()

  init(_ configuration: GatewayConfiguration) { self.configuration = configuration }

  /// What is wrong, if anything.
  var complaint: String? { verdict.complaint }

  func complain(_ text: String) { verdict.complain(text) }

  func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { verdict.complain(text()) }
  }

  // MARK: What there is

  mutating func knowClient(_ client: Int) {
    while clients.count <= client { clients.append(ClientView()) }
  }

  mutating func knowRecord(_ number: Int) {
    while records.count <= number { records.append(RecordView(request: Request(number: 0))) }
  }

  /// The lane of a request: its listener's or its connection's own; -1: none, or one of which little is known.
  mutating func lane(of request: Request, from client: Int, listener: Int) -> Int {
    guard request.key >= 0, request.key != Spelling.twinKey else { return -1 }
    let namespace = request.isConnectionScoped ? World.listeners + client : listener
    let lane = namespace * Spelling.keys.count + Int(request.key)
    while lanes.count <= lane { lanes.append(LaneView()) }
    return lane
  }

  func task(withID id: UInt32) -> Int? {
    let slot = TaskID(rawValue: id).slot
    guard slot < taskOfSlot.count, taskOfSlot[slot] >= 0 else { return nil }
    return tasks[taskOfSlot[slot]].id == id ? taskOfSlot[slot] : nil
  }

  mutating func add(_ task: TaskView) -> Int {
    let slot = TaskID(rawValue: task.id).slot
    if task.id != 0 {
      while taskOfSlot.count <= slot { taskOfSlot.append(-1) }
      taskOfSlot[slot] = tasks.count
    }
    tasks.append(task)
    if task.lane >= 0 { lanes[task.lane].tasks.append(tasks.count - 1) }
    return tasks.count - 1
  }

  // MARK: Messages on their way

  /// A client has sent this: from now on it may be answered.
  mutating func sent(_ message: Message, by client: Int, listener: Int) {
    switch message {
    case .request(let request): sent(request, by: client, listener: listener)
    case .cancelRequest: break
    case .oddity(let number, let index):
      knowRecord(number)
      records[number].client = client
      records[number].oddity = index
      records[number].request = Request(number: number)
      if case .errorToNull(let code) = Oddity.all[index].reply {
        clients[client].nullsAllowed[code, default: 0] += 1
      }
    }
  }

  private mutating func sent(_ request: Request, by client: Int, listener: Int) {
    knowRecord(max(request.number, request.idNumber))
    records[request.number].request = request
    records[request.number].client = client
    records[request.number].lane = lane(of: request, from: client, listener: listener)
    if request.idNumber != request.number {
      records[request.number].nextTwin = records[request.idNumber].nextTwin
      records[request.idNumber].nextTwin = request.number
    }
    while asks.count <= request.ask { asks.append(AskView()) }
    asks[request.ask].form = request.form
    asks[request.ask].requestCount += 1
    asks[request.ask].request = request.number
  }
}
