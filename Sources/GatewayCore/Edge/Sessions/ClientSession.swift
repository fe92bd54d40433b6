import HotData
import Identity
import JSONRPC

/// One client connection: its half-sent input, its unsent output, and its open requests.
///
/// Thousands may be idle: fields that few of them use are kept apart, and the others are laid out without gaps.
struct ClientSession: ~Copyable {
  var output: OutputQueue
  @Compact private(set) var listenerNumber: Int
  var framer: MessageFramer
  var waitsFor = ClientTimeouts.Wait.nothing
  var lastText = LastText.none
  /// Where what it has admitted counts.
  @Compact var account: Int
  /// Its batches that are not answered yet; their list's slots are numbered from 1.
  var batches = SlotRing()
  /// How much memory its half-sent and its held input takes.
  var inputBytes = 0
  /// Bytes of answers that wait for the others of their batches.
  var batchBytes = 0
  private var own: OwnUpstreams?
  /// What has come of it and waits for its turn.
  var held: HeldInput?
  /// Since when it waits for what it waits for.
  var waitsSinceMilliseconds: UInt64 = 0
  /// How many connections there were before it, itself included; of a POST that names a session, the number of the first
  /// in it.
  var number: UInt64
  /// Its requests that are not answered yet, oldest first.
  var openRequests = OpenRequests()
  private var traits = Bits<UInt16>()
  var principal: Principal
  var listener: ListenerOptions

  /// - Parameter listener: where it came in, which `options` are for.
  /// - Parameter number: how many connections there were before.
  init(
    framer: consuming MessageFramer, output: consuming OutputQueue, listener: Int, _ options: ListenerOptions,
    principal: Principal, account: Int, number: UInt64
  ) {
    self.framer = framer
    self.output = output
    self.listener = options
    listenerNumber = listener
    self.principal = principal
    self.account = account
    self.number = number
  }

  /// The namespaces of its keys: shared with all clients of its listener, or, where a request asks for that, its own.
  var sharedNamespace: Namespace { .shared(listener: listenerNumber, principal) }
  var ownNamespace: Namespace { .own(connection: number) }
  /// That of requests that say nothing of it.
  var usualNamespace: Namespace { listener.scope == .connection ? ownNamespace : sharedNamespace }

  /// What is kept of it, and for it, as if nothing were shared.
  var heldByteCount: Int { unsentByteCount + inputBytes }
  /// Its answers, those included that wait for others of their batches.
  var unsentByteCount: Int { output.byteCount + batchBytes }

  /// Whether it is between two lines, and nothing of it is held.
  @inline(__always)
  var holdsNoInput: Bool { framer.isBetweenLines && held == nil }

  /// Whether nothing but its next line, or an answer, is to come of it, and nothing is odd about it.
  @inline(__always)
  var isOnFastPath: Bool { traits.areNone && waitsFor == .nothing && holdsNoInput }

  var unanswered: Int { openRequests.count }

  @inline(__always)
  var isReading: Bool { traits.areNone(Self.stateBits) }

  /// How its answers are framed: as what it sends.
  var framing: Framing { framer.framing ?? .lines }

  // MARK: Upstreams of its own

  /// The upstreams that it has a connection of its own to.
  var ownUpstreams: [Int] { own?.upstreams.map(\.slot) ?? [] }

  mutating func addOwnUpstream(_ slot: Int) {
    let own = own ?? OwnUpstreams()
    own.upstreams.append(OwnUpstreams.Upstream(slot: slot))
    self.own = own
  }

  func removeOwnUpstream(_ slot: Int) { own?.upstreams.removeAll { $0.slot == slot } }

  /// An upstream of its own may speak until then, though it was told that no more comes.
  func listen(to upstream: Int, until milliseconds: UInt64) {
    guard let place = own?.upstreams.firstIndex(where: { $0.slot == upstream }) else { return }
    own?.upstreams[place].speaksUntilMilliseconds = milliseconds
  }

  /// Whether an upstream of its own was told that it sends no more, and is still listened to.
  func mayStillHear(at nowMilliseconds: UInt64) -> Bool {
    own?.upstreams.contains { $0.speaksUntilMilliseconds > nowMilliseconds } ?? false
  }

  /// The number that the next request of such an upstream gets.
  func nextAskedNumber() -> UInt64 {
    guard let own else { preconditionFailure("no upstream is its own") }
    own.askedSoFar += 1
    return own.askedSoFar
  }
}

extension ClientSession {
  // The first of each is no bit at all: nothing is odd about nearly all.
  private(set) var state: ClientState {
    get { ClientState(rawValue: traits.number(Self.stateBits)) ?? .closing }
    set { traits.set(Self.stateBits, newValue.rawValue) }
  }
  @inline(__always) private static var stateBits: UInt16 { 0b11 }

  private(set) var end: ClientEnd {
    get { ClientEnd(rawValue: traits.number(Self.endBits)) ?? .dropped }
    set { traits.set(Self.endBits, newValue.rawValue) }
  }
  @inline(__always) private static var endBits: UInt16 { 0b1100 }

  /// Goes on to a state; it does not go back to one it has left.
  @inline(never)
  mutating func goOn(to state: ClientState) { self.state = max(self.state, state) }
  @inline(never)
  mutating func end(as end: ClientEnd) { self.end = max(self.end, end) }

  /// Asked of each request: without a call.
  @inline(__always) var isLeaving: Bool { traits.number(Self.stateBits) == ClientState.leaving.rawValue }
  @inline(__always) var isGivenUp: Bool { !traits.areNone(Self.endBits) }

  var isDirty: Bool {
    get { traits[16] }
    set { traits[16] = newValue }
  }
  /// The peer sent FIN: it gets its answers, then the connection closes.
  var hasEnded: Bool {
    get { traits[32] }
    set { traits[32] = newValue }
  }
  /// It does not read what it is sent.
  var isReadingPaused: Bool {
    get { traits[64] }
    set { traits[64] = newValue }
  }
  /// What the shell was last told.
  var isReadingStopped: Bool {
    get { traits[128] }
    set { traits[128] = newValue }
  }
  /// Notifications of it wait to be sent.
  var hasUnsent: Bool {
    get { traits[256] }
    set { traits[256] = newValue }
  }
  /// Of a mirror: something that its client has asked waits for its partition.
  var isHeldUp: Bool {
    get { traits[1024] }
    set { traits[1024] = newValue }
  }
  /// When it was last written to it did not take so much that it gets no more pieces.
  var leavesMuchUnread: Bool {
    get { traits[512] }
    set { traits[512] = newValue }
  }
}

/// The upstreams that one client has for itself, and how many requests they have sent it.
private final class OwnUpstreams {
  struct Upstream {
    let slot: Int
    /// It was told that its client sends no more, and is listened to until then.
    var speaksUntilMilliseconds: UInt64 = 0
  }

  var upstreams: [Upstream] = []
  var askedSoFar: UInt64 = 0
}

@available(*, unavailable)
extension OwnUpstreams: Sendable {}
