package import Identity
package import JSONRPC
package import TaskStore

/// Everything the gateway can be told while it runs, with its defaults. Sizes are in bytes, times in milliseconds.
package struct GatewayConfiguration: Sendable {
  /// Bounds and times of a member of a fleet; a single process has none of them.
  package struct Fleet: Hashable, Sendable {
    /// How many bytes of requests may wait until their partition has an owner that can be reached; and, at the owner,
    /// until they may start.
    package var parkedBytes = 64 * 1024 * 1024
    /// For how long after a takeover no task starts that must run alone; nil: the longest time of a request and of its
    /// drain together.
    package var takeoverMilliseconds: UInt64?
    /// How long running tasks may go on once their partition is to be given away.
    package var handoverMilliseconds: UInt64 = 5_000
    /// The longest message, a request or an answer, that members pass on to each other.
    package static let mostMessageBytes = 64 * 1024 * 1024
    /// The longest frame between members.
    package static let mostFrameBytes = 2 * mostMessageBytes
    /// Once a frame has so many bytes the next event begins another. So a frame is at most one event longer than this.
    package static let sharedFrameBytes = 1024 * 1024
    /// The longest event is what a client has left unread, and one message behind it: what is left of a frame is for what
    /// stands around them.
    package static let mostEventBytes = mostFrameBytes - sharedFrameBytes - 64 * 1024

    package init() {}
  }

  /// Settings of the server around the core; the core does not read them.
  package struct Server: Hashable, Sendable {
    /// What is read from one connection before it is the others' turn.
    package var turnBytes = 256 * 1024
    /// How long what clients sent is worked on until others get their turn; what was left over before has an eighth of it.
    package var turnMicroseconds: UInt64 = 2_000
    /// How long answers to a client wait for others that it still gets from other loops, to be written together; 0: not.
    package var coalesceMicroseconds: UInt64 = 100
    /// Once it drains, what still runs is given this long.
    package var drainMilliseconds: UInt64 = 5_000
    /// How long a client's TLS handshake may take, and how many there may be at once.
    package var handshakeMilliseconds: UInt64 = 5_000
    package var handshakes = 1_000
    /// By listener, its protocols and the web pages that may come; listeners beyond the last have the defaults.
    package var clients: [ClientProtocols] = []
    /// The head of a client's HTTP request: its first line and its fields.
    package var headBytes = 16 * 1024
    /// How long a client's HTTP connection may have no request; 0: for ever.
    package var httpIdleMilliseconds: UInt64 = 60_000
    /// How long a WebSocket may say nothing before it is asked whether it is there, and then once more; 0: for ever.
    package var pingMilliseconds: UInt64 = 30_000
    /// How long an event stream may be silent before it gets a comment; 0: for ever.
    package var eventCommentMilliseconds: UInt64 = 15_000
    /// After how long without a request or a stream a session of the Model Context Protocol ends; 0: never.
    package var mcpIdleMilliseconds: UInt64 = 1_800_000
    /// How long after its connection a request of such a session is taken back; 0: never.
    package var mcpResumeMilliseconds: UInt64 = 30_000
    /// The system's limit of open files leaves room for fewer connections than were asked for.
    package var hasFewDescriptors = false

    package init() {}
  }

  package var server = Server()
  package var fleet = Fleet()
  package var store = StoreLimits()
  package var upstreams: [UpstreamOptions] = [UpstreamOptions()]
  /// By listener; those beyond the last are as usual.
  package var listeners: [ListenerOptions] = []
  /// The principals that may come where a listener asks for one; of two with the same name the last counts.
  package var principals: [PrincipalOptions] = []
  /// The quotas of principals that have none of their own.
  package var quotas = Quotas()
  /// The issuers whose signed tokens count there.
  package var issuers: [IssuerOptions] = []
  /// What is special about some methods.
  package var routes: [Route] = []

  package var messageLimitBytes = WireLimits.messageBytes
  /// Once so many bytes of a message have come, the rest of it is checked part by part.
  package var checkedPartBytes = 64 * 1024
  /// Nesting, id and method of what clients send.
  package var scan = ScanLimits()
  /// A key, and the label of a group, once they are unescaped.
  package var keyBytes = WireLimits.keyBytes
  package var groupBytes = WireLimits.groupBytes
  /// Messages in one array, and the bytes of the array of their answers.
  package var batchItems = WireLimits.batchItems
  package var batchReplyBytes = 16 * 1024 * 1024
  /// How much of one client is handled before it is the others' turn: messages, those in arrays counted, and the bytes
  /// of our own long answers to it.
  package var turnMessages = 64
  package var turnOutputBytes = 64 * 1024
  /// How much of one upstream connection is handled at a time: its messages, and the callers that they reach.
  package var turnAnswers = 2_048
  /// Timers that fire before it is the turn of what has come.
  package var turnTimers = 256
  package var connections = 10_000
  /// Connections that have not authenticated; how long their messages may be, how often they may fail, and how long
  /// they may take in all; 0: for ever.
  package var unauthenticatedConnections = 1_000
  package var unauthenticatedBytes = 16 * 1024
  package var authenticateAttempts = 3
  package var authenticateMilliseconds: UInt64 = 5_000
  /// Principals known by a signed token alone, without a name in the configuration, while they are connected or have
  /// work.
  package var issuedPrincipals = 10_000
  package var unansweredPerConnection = 10_000
  /// Tasks that a connection had admitted and that have not ended: queued, running, draining and orphaned.
  package var tasksPerConnection = 10_000
  /// How long a new connection may send nothing, how long a message may be on its way in, and how long a connection
  /// may have nothing to do; 0: for ever.
  package var firstByteMilliseconds: UInt64 = 60_000
  package var messageMilliseconds: UInt64 = 10_000
  package var idleMilliseconds: UInt64 = 0
  /// How long a connection that is not read from because it does not read may take none of its output; 0: for ever.
  package var stallMilliseconds: UInt64 = 60_000
  /// Unread output of a client: above the soft bound its reading pauses, above the hard one it is closed.
  package var clientOutputSoftBytes = 1024 * 1024
  package var clientOutputHardBytes = 64 * 1024 * 1024
  /// Answers that come in pieces: the value of one, how many there may be of a task (0: any number), and how much of
  /// what a caller was sent it may not have read when one more comes.
  package var pieceBytes = 64 * 1024
  package var piecesPerTask = 0
  package var unreadPieceBytes = 64 * 1024
  /// Unsent output to an upstream: above the soft bound tasks stay here, above the hard one they are refused.
  package var upstreamOutputSoftBytes = 1024 * 1024
  package var upstreamOutputHardBytes = 64 * 1024 * 1024
  /// So much is written without waiting for the turn's end: the output of so many clients, as each holds a block, and
  /// so many bytes for one upstream connection, as upstream begins on them.
  package var unflushedClients = 256
  package var earlyOutputBytes = 32 * 1024
  /// So many slots of tasks and waiters always keep their memory; that of more is given back when there has been
  /// little to do for so long.
  package var keptSlots = 2_048
  package var memoryMilliseconds: UInt64 = 100
  /// How many requests one endpoint works on at once, and how many may wait at an upstream.
  package var inFlightPerEndpoint = 100_000
  package var waitingPerUpstream = 100_000
  /// Connections, or children, of one endpoint that are being opened at once where each request has its own.
  package var connectingPerEndpoint = 8
  /// Connections to upstreams that client connections have for themselves.
  package var privateUpstreams = 1_000
  /// Requests of such an upstream that its client has not answered.
  package var upstreamRequests = 1_000
  /// After so many failures in a row an endpoint's circuit opens: it gets no requests for a while.
  package var failuresInARow = 5

  /// What all tasks ask, as long as it is kept: until they are sent, and, for keyed ones, until they end.
  package var payloadBytes = 256 * 1024 * 1024

  /// Memory for all clients together; 0: no bound. Three quarters are for unread output, half-received input and
  /// answers of batches: beyond that the clients that hold most are closed. The last quarter is for requests.
  package var memoryBytes = 0
  /// Requests have one part of `memoryBytes` in so many.
  package static let requestPart = 4
  /// An answer of so many bytes is kept once for all its callers.
  package var sharedAnswerBytes = 16 * 1024
  /// When memory is no longer used so much of it is kept for the next burst.
  package var keptBytes = 1024 * 1024

  /// The deadline of a request that names none; `Admission.unlimited`: it has none.
  package var timeoutMilliseconds: UInt32 = 60_000
  package var drainMilliseconds: UInt32 = 5_000
  /// What requests may ask for themselves, where their route does not say it.
  package var longest = LongestTimes()
  /// How long a task waits for an upstream that is not connected. TCP repeats a lost attempt after 1 and 3 seconds;
  /// this is longer.
  package var connectMilliseconds: UInt64 = 4_000
  /// How long an attempt to connect may take; 0: for ever.
  package var attemptMilliseconds: UInt64 = 5_000
  /// How long an upstream may take for one answer, whatever the caller's time; 0: for ever.
  package var answerMilliseconds: UInt64 = 0
  /// The pauses between attempts to connect double from the first to the last, each shortened at random by up to half.
  package var firstBackOffMilliseconds: UInt64 = 50
  package var lastBackOffMilliseconds: UInt64 = 2_000

  /// How long the highest `task.order` of a session is remembered once it has nothing of that key under way, and of how
  /// many sessions and keys; one principal has a quarter of these at most.
  package var orderMilliseconds: UInt64 = 10_000
  package var orders = 100_000

  /// Tasks of a lane, the newest, that `lastword.inspect` shows.
  package static let inspectedTasks = 100

  /// The nesting that upstreams may use: as much as clients, and never less than the default.
  var upstreamNestingLevels: Int { max(WireLimits.nestingLevels, scan.nestingLevels) }

  package init() {}
}
