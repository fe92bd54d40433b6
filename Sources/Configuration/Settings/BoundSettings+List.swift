import GatewayCore
import Identity
import JSONRPC
import TaskStore

/// The list of bounds, in the order of the example. Everything else about a bound is made from its line here.
extension BoundSettings {
  private static let milliseconds = SettingLimit.milliseconds
  private static let bytes = SettingLimit.bytes
  private static let count = SettingLimit.count

  static let messageSettings: [Setting<Self>] = [
    .integer(
      "messageBytes", \.core.messageLimitBytes, 1024...bytes, .bytes,
      "The longest message, without its line end or header; a longer one is refused with -32086."),
    .integer(
      "headBytes", \.core.server.headBytes, 1024...1024 * 1024, .bytes,
      "The longest head of a client's HTTP request; a longer one is refused with 431."),
    .integer(
      "nestingLevels", \.core.scan.nestingLevels, 2...JSONText.depthLimit, .none,
      "How deep arrays and objects may be nested; what is deeper is refused with -32700."),
    .integer(
      "batchItems", \.core.batchItems, 1...count, .none,
      "The most requests in a batch; of a longer one nothing runs."),
    .integer(
      "batchReplyBytes", \.core.batchReplyBytes, 1024...bytes, .bytes,
      "The longest reply to a batch; what does not fit is answered with -32086."),
    .integer(
      "idBytes", \.core.scan.idBytes, 16...SettingLimit.nameBytes, .bytes,
      "The longest id, as it stands in the message; a longer one is refused with -32600."),
    .integer(
      "keyBytes", \.core.keyBytes, 16...SettingLimit.nameBytes, .bytes,
      "The longest key, without its escapes; a longer one is refused with -32602."),
    .integer(
      "groupBytes", \.core.groupBytes, 16...SettingLimit.nameBytes, .bytes,
      "The longest label of a group, without its escapes; a longer one is refused with -32602."),
    .integer(
      "methodBytes", \.core.scan.methodBytes, 16...SettingLimit.nameBytes, .bytes,
      "The longest method; a longer one is refused with -32600."),
  ]

  static let countSettings: [Setting<Self>] = [
    .integer(
      "connections", \.core.connections, 1...count, .none,
      "Client connections at once; always well below the limit of open files, too."),
    .integer(
      "unauthenticatedConnections", \.core.unauthenticatedConnections, 1...count, .none,
      "Connections that have to say who they are, and have not; more are refused with -32082."),
    .integer(
      "unauthenticatedBytes", \.core.unauthenticatedBytes, 1024...bytes, .bytes,
      "The longest message of such a connection; a longer one is refused with -32086."),
    .integer(
      "authenticateAttempts", \.core.authenticateAttempts, 1...count, .none,
      "How often such a connection may fail before it is closed."),
    .integer(
      "issuedPrincipals", \.core.issuedPrincipals, 1...count, .none,
      "Principals that only an [[issuer]] knows, and their namespaces; who would be one more gets -32082."),
    .integer(
      "handshakes", \.core.server.handshakes, 1...count, .none,
      "TLS handshakes with clients at once; one more takes the place of the oldest."),
    .integer(
      "unansweredPerConnection", \.core.unansweredPerConnection, 1...count, .none,
      "Unanswered requests of a connection; more are refused with -32082."),
    .integer(
      "tasksPerConnection", \.core.tasksPerConnection, 1...count, .none,
      "Tasks that a connection had admitted and that have not ended; more are refused with -32082."),
    .integer(
      "connectionsPerPrincipal", \.core.quotas.connections, 1...count, .none,
      "Connections of one principal; more are refused with -32082."),
    .integer(
      "tasksPerPrincipal", \.core.quotas.tasks, 1...count, .none,
      "Tasks of all connections of one principal; more are refused with -32082."),
    .integer(
      "callersPerPrincipal", \.core.quotas.callers, 0...count, .none,
      "Requests of one principal that wait for an answer; more get -32082; 0: a quarter of waiters."),
    .integer(
      "requestsPerSecond", \.core.quotas.requestsPerSecond, 0...count, .none,
      "Requests and notifications of one principal in a second; more get -32082; 0: without bound."),
    .integer(
      "supersessionsPerSecond", \.core.quotas.supersessionsPerSecond, 0...count, .none,
      "Callers that these supersede in a second; then what would supersede more gets -32082; 0: without bound."
    ),
    .integer(
      "cancelsPerSecond", \.core.quotas.cancelsPerSecond, 0...count, .none,
      "What one principal cancels in a second; more is refused with -32082; 0: without bound."),
    .integer(
      "tasks", \.core.store.tasks, 1...StoreLimits.largestTasks, .none,
      "Tasks overall, those that upstream still has to end included; more are refused with -32082."),
    .integer(
      "waiters", \.core.store.waiters, 1...count, .none,
      "Callers that wait for an answer, shared ones included; more are refused with -32082."),
    .integer(
      "callersPerTask", \.core.store.callersPerTask, 1...count, .none,
      "Callers that share one answer; who would be one more is refused with -32082."),
    .integer(
      "tasksPerLane", \.core.store.tasksPerLane, 1...count, .none,
      "Callers of one key whose tasks wait or run, and its notifications; more are refused with -32082."),
    .integer(
      "queuePerLane", \.core.store.queuePerLane, 1...count, .none,
      "Tasks of one key that wait for their start; more are refused with -32082."),
    .integer(
      "orphansPerLane", \.core.store.orphansPerLane, 1...count, .none,
      "While so many unwanted tasks of one key still run upstream, none of that key starts."),
    .integer(
      "inFlightPerEndpoint", \.core.inFlightPerEndpoint, 1...count, .none,
      "Requests that one address of an upstream works on at once; others wait for their turn."),
    .integer(
      "waitingPerUpstream", \.core.waitingPerUpstream, 1...count, .none,
      "Requests that wait for their turn at an upstream; more are refused with -32082."),
    .integer(
      "connectingPerEndpoint", \.core.connectingPerEndpoint, 1...count, .none,
      "With http and hard: connections to one address, or children, that are being opened at once."),
    .integer(
      "privateUpstreams", \.core.privateUpstreams, 1...count, .none,
      "Connections to upstreams with perConnection; requests that need more are refused with -32082."),
    .integer(
      "upstreamRequests", \.core.upstreamRequests, 1...count, .none,
      "Requests of such an upstream that its client has not answered; more are refused with -32082."),
    .integer(
      "orders", \.core.orders, 1...count, .none,
      "Keys of sessions whose highest task.order is remembered, a quarter of them of one principal."),
    .integer(
      "turnMessages", \.core.turnMessages, 1...count, .none,
      "Messages of one connection, those in batches counted, that are handled before it is the others' turn."),
    .integer(
      "turnAnswers", \.core.turnAnswers, 1...count, .none,
      "The same of a connection to an upstream: its messages, and the callers that they reach."),
    .integer(
      "piecesPerTask", \.core.piecesPerTask, 0...count, .none,
      "Pieces of one answer; beyond them its request fails with -32084; 0: without bound."),
    .integer(
      "turnTimers", \.core.turnTimers, 1...count, .none,
      "Of all that is due, such as deadlines, what happens before it is the turn of what has come."),
    .integer(
      "failuresInARow", \.core.failuresInARow, 1...count, .none,
      "After so many failures an address gets no requests for a while."),
  ]

  static let byteSettings: [Setting<Self>] = [
    .integer(
      "memoryBytes", \.core.memoryBytes, 0...64 * bytes, .bytes,
      "Output, input and requests of all clients together; those with most are closed; 0: a quarter of memory."
    ),
    .integer(
      "payloadBytes", \.core.payloadBytes, 1024 * 1024...64 * bytes, .bytes,
      "What requests that are kept may ask, within a quarter of memoryBytes; who asks most gets -32082."
    ),
    .integer(
      "principalPayloadBytes", \.core.quotas.payloadBytes, 1024...64 * bytes, .bytes,
      "The same of all connections of one principal; more is refused with -32082."),
    .integer(
      "clientOutputSoftBytes", \.core.clientOutputSoftBytes, 1024...bytes, .bytes,
      "While more than this is unread by a client, nothing is read from it."),
    .integer(
      "clientOutputHardBytes", \.core.clientOutputHardBytes, 1024...bytes, .bytes,
      "A client that leaves more than this unread is disconnected."),
    .integer(
      "pieceBytes", \.core.pieceBytes, 1024...bytes, .bytes,
      "The value of one piece of an answer; a request whose answer has a longer one fails with -32084."),
    .integer(
      "unreadPieceBytes", \.core.unreadPieceBytes, 1024...bytes, .bytes,
      "A client that has left more than this unread gets no more pieces: its request ends with -32082."),
    .integer(
      "upstreamOutputSoftBytes", \.core.upstreamOutputSoftBytes, 1024...bytes, .bytes,
      "While this much is unread by an upstream, requests are held back."),
    .integer(
      "upstreamOutputHardBytes", \.core.upstreamOutputHardBytes, 1024...bytes, .bytes,
      "While more than this is unread by an upstream or held back, requests are refused with -32082."),
    .integer(
      "turnBytes", \.core.server.turnBytes, 64 * 1024...2 * 1024 * 1024, .bytes,
      "What is read from one connection before it is the others' turn."),
    .integer(
      "turnOutputBytes", \.core.turnOutputBytes, 1024...bytes, .bytes,
      "The same of the answers to lastword.inspect and rpc.discover."),
  ]

  static let timeSettings: [Setting<Self>] = [
    .integer(
      "turnUs", \.core.server.turnMicroseconds, 50...1_000_000, .microseconds,
      "How long what has come is worked on at a time; the rest waits behind what others have sent."),
    .integer(
      "coalesceUs", \.core.server.coalesceMicroseconds, 0...10_000, .microseconds,
      "With several loops, in no fleet: how long answers wait for those that their client gets from others."),
    .integer(
      "timeoutMs", \.timeoutMilliseconds, 0...milliseconds, .milliseconds,
      "Without an answer so long after it came, or after progress on it, a request gets -32083; 0: unlimited."
    ),
    .integer(
      "drainMs", \.core.drainMilliseconds, 0...milliseconds, .milliseconds,
      "How long an unwanted request may go on upstream and hold up those that wait for its end."),
    .integer(
      "orphanMs", \.core.store.orphanMilliseconds, 0...milliseconds, .milliseconds,
      "How long after that it is still remembered."),
    .integer(
      "longestTimeoutMs", \.core.longest.timeoutMilliseconds, 1...milliseconds, .milliseconds,
      "The longest timeoutMs that a request may say itself (more is -32602), or that progress may make of one."
    ),
    .integer(
      "longestDrainMs", \.core.longest.drainMilliseconds, 0...milliseconds, .milliseconds,
      "The same of drainMs. Once its client has gone, a request has drainMs, as said above, at most."),
    .integer(
      "longestDebounceMs", \.core.longest.debounceMilliseconds, 0...milliseconds, .milliseconds,
      "The same of debounceMs."),
    .integer(
      "longestMaxWaitMs", \.core.longest.maxWaitMilliseconds, 0...milliseconds, .milliseconds,
      "The same of maxWaitMs."),
    .integer(
      "longestMaxStaleMs", \.core.longest.maxStaleMilliseconds, 0...milliseconds, .milliseconds,
      "The same of maxStaleMs; 0 may always be said."),
    .integer(
      "orderMs", \.core.orderMilliseconds, 0...milliseconds, .milliseconds,
      "How long the highest task.order of a session and key is remembered, once nothing of them is under way."
    ),
    .integer(
      "compensationMs", \.core.store.compensationMilliseconds, 0...milliseconds, .milliseconds,
      "How long the answer to a compensation is awaited."),
    .integer(
      "connectMs", \.core.connectMilliseconds, 0...milliseconds, .milliseconds,
      "How long requests wait for an upstream that is not connected, before they get -32084."),
    .integer(
      "attemptMs", \.core.attemptMilliseconds, 0...milliseconds, .milliseconds,
      "How long an attempt to connect to an upstream may take; 0: for ever."),
    .integer(
      "answerMs", \.core.answerMilliseconds, 0...milliseconds, .milliseconds,
      "How long an upstream may take for an answer, whatever time its caller has; 0: for ever."),
    .integer(
      "firstBackOffMs", \.core.firstBackOffMilliseconds, 1...milliseconds, .milliseconds,
      "The first pause between attempts to connect; each is twice as long as the one before."),
    .integer(
      "lastBackOffMs", \.core.lastBackOffMilliseconds, 1...milliseconds, .milliseconds,
      "The longest pause between attempts to connect."),
    .integer(
      "authenticateMs", \.core.authenticateMilliseconds, 0...milliseconds, .milliseconds,
      "A client that has to say who it is, and has not after so long, is disconnected; 0: never."),
    .integer(
      "firstByteMs", \.core.firstByteMilliseconds, 0...milliseconds, .milliseconds,
      "A client that has not said anything after so long is disconnected; 0: never."),
    .integer(
      "handshakeMs", \.core.server.handshakeMilliseconds, 1...milliseconds, .milliseconds,
      "A client whose TLS handshake takes longer is disconnected."),
    .integer(
      "messageMs", \.core.messageMilliseconds, 0...milliseconds, .milliseconds,
      "A client that takes longer to send one message is disconnected; 0: never."),
    .integer(
      "idleMs", \.core.idleMilliseconds, 0...milliseconds, .milliseconds,
      "A client that says nothing for so long between messages is disconnected; 0: never."),
    .integer(
      "httpIdleMs", \.core.server.httpIdleMilliseconds, 0...milliseconds, .milliseconds,
      "A client's HTTP connection that has had no request for so long is closed; 0: never."),
    .integer(
      "pingMs", \.core.server.pingMilliseconds, 0...milliseconds, .milliseconds,
      "A WebSocket that says nothing for so long is asked if it is there, and as long after that cut off; 0: never."
    ),
    .integer(
      "eventCommentMs", \.core.server.eventCommentMilliseconds, 0...milliseconds, .milliseconds,
      "An event stream silent for so long gets a comment, so that proxies leave it open; 0: never."
    ),
    .integer(
      "mcpIdleMs", \.core.server.mcpIdleMilliseconds, 0...milliseconds, .milliseconds,
      "A session of MCP over HTTP without a request or a stream for so long ends; 0: never."
    ),
    .integer(
      "mcpResumeMs", \.core.server.mcpResumeMilliseconds, 0...milliseconds, .milliseconds,
      "A request of such a session whose connection has gone is taken back after so long; 0: never."
    ),
    .integer(
      "stallMs", \.core.stallMilliseconds, 0...milliseconds, .milliseconds,
      "A client beyond its soft bound that reads nothing for so long is disconnected; 0: never."
    ),
  ]
}
