import HotData
import JSONRPC
import TaskStore

/// One upstream connection: its state, what it half sent, what it still gets, and the calls it works on.
struct UpstreamSession: ~Copyable {
  enum State {
    case connecting(untilMilliseconds: UInt64)
    case connected
    case resting(untilMilliseconds: UInt64)
    /// Its upstream is closed: the shell still has to close the connection, if there is one.
    case ended
  }

  /// The slot of its upstream.
  let upstream: Int
  let endpoint: UpstreamEndpoint
  let trustsAnswers: Bool
  let toleratesNoise: Bool
  var framer: UpstreamFramer
  var output: OutputQueue
  /// What has come and is not handled yet, for it has had its share of the turn, and whether it is not read from.
  var held: HeldInput?
  var isReadingStopped = false
  /// How much memory its half-sent and its held input takes.
  var inputBytes = 0
  var state: State
  /// To connect, or to be well again, in a row and in vain.
  var attempts = 0
  /// The shell has been told to connect, and not heard of an end.
  var isOpen = false
  /// Its client sends no more, and what it has sent was passed on.
  var hasEnded = false
  /// Its later messages still reach its client, until then; the largest number: until the client's end is answered, and
  /// on.
  var speaksUntilMilliseconds: UInt64 = 0
  /// A call that may have to be undone over it when its client sends no more, as found last; 0: none.
  var undoable = 0
  /// When the last connection was lost: from then on waiting tasks have their time to wait for another.
  var lostMilliseconds: UInt64 = 0

  /// Calls sent on this connection whose answers are wanted, oldest first.
  var sent = SlotList()
  /// Calls that upstream was told to give up, undoings, and notifications that are being delivered.
  var leaving = SlotList()
  /// All of them.
  var inFlight = 0
  /// Exchanges to abort, and messages that are exchanges of their own, until the shell is told.
  var aborts: [TaskID] = []
  var messages: [(task: TaskID?, bytes: [UInt8])] = []

  var circuit = Circuit.closed(failures: 0)

  /// Its questions that its client has not answered.
  var asked = OpenQuestions()

  /// Whether requests may be sent over this connection, now or once there is room.
  @inline(__always)
  func isUsable(at nowMilliseconds: UInt64) -> Bool {
    isConnected && !circuit.isOpen(at: nowMilliseconds)
  }

  /// Whether there is nothing to do for it at a turn's end but to write what it gets.
  @inline(__always)
  var isOnFastPath: Bool { isConnected && !hasEnded && held == nil && !isReadingStopped && !hasExchanges }

  var isConnected: Bool { if case .connected = state { true } else { false } }

  /// Takes a call among those that were sent; returns how much there is to write.
  @inline(__always)
  mutating func noteSent(_ call: Int, _ links: inout SlotLinks) -> Int {
    links.append(call, to: &sent)
    inFlight &+= 1
    return output.byteCount
  }

  @inline(__always)
  mutating func forget(_ call: Int, isWanted: Bool, _ links: inout SlotLinks) {
    if isWanted { links.remove(call, from: &sent) } else { links.remove(call, from: &leaving) }
    inFlight -= 1
  }

  /// It said something that makes sense.
  @inline(__always)
  mutating func noteMessage() {
    // One that failed too often has recovered only when it answers a request.
    if circuit.isClosed { attempts = 0 }
  }

  @inline(__always)
  mutating func closeCircuit() {
    circuit.close()
    attempts = 0
  }

  var anyCall: Int? { sent.isEmpty ? leaving.isEmpty ? nil : leaving.first : sent.first }
  /// Whether the shell has exchanges to begin or to abort.
  var hasExchanges: Bool { !aborts.isEmpty || !messages.isEmpty }
  var hasSaidAll: Bool { output.isEmpty && !hasExchanges }

  init(
    upstream: Int, _ endpoint: UpstreamEndpoint, _ options: UpstreamOptions, framer: consuming UpstreamFramer,
    pool: BlockPool, nowMilliseconds: UInt64
  ) {
    self.upstream = upstream
    self.endpoint = endpoint
    trustsAnswers = options.trustsAnswers
    toleratesNoise = options.toleratesNoise
    self.framer = framer
    output = OutputQueue(pool: pool)
    state = .resting(untilMilliseconds: nowMilliseconds)
  }
}
