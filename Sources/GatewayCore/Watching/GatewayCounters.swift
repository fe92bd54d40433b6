/// What has happened since the start. Requests, not tasks, are counted: at every step
/// `admitted = delivered + failed + superseded + cancelled + expired + rejected + abandoned + live`.
package struct GatewayCounters: Hashable, Sendable {
  package var admitted: UInt64 = 0
  package var delivered: UInt64 = 0
  package var failed: UInt64 = 0
  package var superseded: UInt64 = 0
  package var cancelled: UInt64 = 0
  package var expired: UInt64 = 0
  /// The caller's connection was gone before there was an answer.
  package var abandoned: UInt64 = 0
  /// Refused at the door: busy, over a bound, shutting down, overtaken.
  package var rejected: UInt64 = 0
  /// Messages that were no valid request.
  package var invalid: UInt64 = 0
  package var notifications: UInt64 = 0
  /// Notifications that were refused, or that did not reach upstream as far as is known. Our own to upstreams that take
  /// exchanges count, too.
  package var notificationsLost: UInt64 = 0
  package var joined: UInt64 = 0
  /// Callers that went over to a newer request when theirs was superseded, each time.
  package var followed: UInt64 = 0
  /// Callers whose tasks were superseded, whether they heard so or followed.
  var supersededCallers: UInt64 { superseded &+ followed }

  /// Bytes from clients and upstreams, and bytes to them, as far as the system took these.
  package var bytesFromClients: UInt64 = 0
  package var bytesToClients: UInt64 = 0
  package var bytesFromUpstreams: UInt64 = 0
  package var bytesToUpstreams: UInt64 = 0

  package var sentUpstream: UInt64 = 0
  package var cancelsSent: UInt64 = 0
  /// Answers to tasks that nobody waited for any more: dropped.
  package var droppedLate: UInt64 = 0
  /// Time that upstreams did not have to spend on unwanted tasks, which were never sent or were cancelled. Each counts
  /// as the average time of an answered task, less what it took.
  package var upstreamSavedMilliseconds: UInt64 = 0
  /// Tasks that succeeded when nobody wanted them any more, and that upstream was asked to undo.
  package var compensationsSent: UInt64 = 0
  /// Compensations that upstream refused, did not answer in time, or had not answered when its connection was lost.
  package var compensationsFailed: UInt64 = 0
  /// Unwanted tasks with a compensation that were given up before upstream had ended them. Nobody learns whether they
  /// succeeded.
  package var compensationsLost: UInt64 = 0
  /// Tasks that nobody wanted any more, and that made room for others before upstream had ended them.
  package var tasksForgotten: UInt64 = 0
  /// Pieces of answers that callers were given, and pieces that reached nobody: their task has no caller, or none that
  /// takes pieces.
  package var pieces: UInt64 = 0
  package var droppedPieces: UInt64 = 0
  /// Answers with an id that names no task of that upstream: dropped.
  package var droppedUnknown: UInt64 = 0
  /// Messages from a peer that are neither request nor awaited answer: dropped.
  package var unsolicited: UInt64 = 0
  /// What children printed between their messages: skipped.
  package var noise: UInt64 = 0
  /// Messages of upstreams that were beyond a bound, and answers that could not be read.
  package var refusedMessages: UInt64 = 0
  /// Requests and notifications of upstreams to the clients that they belong to, and the answers to them.
  package var relayed: UInt64 = 0
  package var upstreamConnections: UInt64 = 0
  package var upstreamDisconnections: UInt64 = 0
  package var clientConnections: UInt64 = 0
  /// POSTs.
  package var clientExchanges: UInt64 = 0
  /// Closed because they sent nothing, or no whole message, for too long.
  package var clientsGivenUp: UInt64 = 0
  /// Connections that authenticated, and attempts that failed.
  package var authenticated: UInt64 = 0
  package var failedAuthentications: UInt64 = 0
  /// Messages before a log-in, and requests that their principal is not allowed.
  package var unauthenticated: UInt64 = 0
  package var forbidden: UInt64 = 0
  /// Closed because a reload took away what they were known by.
  package var clientsRevoked: UInt64 = 0
  /// Closed because the operator said so.
  package var clientsEvicted: UInt64 = 0
  /// Closed because the tokens that they were known by have ended; and attempts that failed because there are as many
  /// principals as there may be.
  package var tokensEnded: UInt64 = 0
  package var principalsRefused: UInt64 = 0
  /// Closed because the most was held for them when too much was held in all.
  package var clientsClosedForRoom: UInt64 = 0

  package init() {}

  /// What the machines counted, each for itself.
  package static func + (one: GatewayCounters, other: GatewayCounters) -> GatewayCounters {
    var sum = one
    sum.admitted &+= other.admitted
    sum.delivered &+= other.delivered
    sum.failed &+= other.failed
    sum.superseded &+= other.superseded
    sum.cancelled &+= other.cancelled
    sum.expired &+= other.expired
    sum.abandoned &+= other.abandoned
    sum.rejected &+= other.rejected
    sum.invalid &+= other.invalid
    sum.notifications &+= other.notifications
    sum.notificationsLost &+= other.notificationsLost
    sum.joined &+= other.joined
    sum.followed &+= other.followed
    sum.bytesFromClients &+= other.bytesFromClients
    sum.bytesToClients &+= other.bytesToClients
    sum.bytesFromUpstreams &+= other.bytesFromUpstreams
    sum.bytesToUpstreams &+= other.bytesToUpstreams
    sum.sentUpstream &+= other.sentUpstream
    sum.cancelsSent &+= other.cancelsSent
    sum.droppedLate &+= other.droppedLate
    sum.upstreamSavedMilliseconds &+= other.upstreamSavedMilliseconds
    sum.compensationsSent &+= other.compensationsSent
    sum.compensationsFailed &+= other.compensationsFailed
    sum.compensationsLost &+= other.compensationsLost
    sum.tasksForgotten &+= other.tasksForgotten
    sum.pieces &+= other.pieces
    sum.droppedPieces &+= other.droppedPieces
    sum.droppedUnknown &+= other.droppedUnknown
    sum.unsolicited &+= other.unsolicited
    sum.noise &+= other.noise
    sum.refusedMessages &+= other.refusedMessages
    sum.relayed &+= other.relayed
    sum.upstreamConnections &+= other.upstreamConnections
    sum.upstreamDisconnections &+= other.upstreamDisconnections
    sum.clientConnections &+= other.clientConnections
    sum.clientExchanges &+= other.clientExchanges
    sum.clientsGivenUp &+= other.clientsGivenUp
    sum.authenticated &+= other.authenticated
    sum.failedAuthentications &+= other.failedAuthentications
    sum.unauthenticated &+= other.unauthenticated
    sum.forbidden &+= other.forbidden
    sum.clientsRevoked &+= other.clientsRevoked
    sum.clientsEvicted &+= other.clientsEvicted
    sum.tokensEnded &+= other.tokensEnded
    sum.principalsRefused &+= other.principalsRefused
    sum.clientsClosedForRoom &+= other.clientsClosedForRoom
    return sum
  }

  /// What became of requests, by name.
  package var outcomes: [(name: StaticString, count: UInt64)] {
    [
      ("delivered", delivered), ("failed", failed), ("superseded", superseded), ("cancelled", cancelled),
      ("expired", expired), ("rejected", rejected), ("abandoned", abandoned),
    ]
  }
}
