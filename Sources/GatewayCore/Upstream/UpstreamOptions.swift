package import JSONRPC

/// What the core has to know of an upstream. Sizes are in bytes, times in milliseconds; what is nil is as for all.
package struct UpstreamOptions: Sendable {
  /// How requests get there, and their answers back.
  package enum Shape: Sendable {
    /// One connection carries them all.
    case connection
    /// Each is an exchange of its own, which can be aborted.
    case exchanges
  }

  package var shape = Shape.connection
  /// Of what a connection carries.
  package var framing = Framing.lines
  /// What is no message is skipped: children print all sorts of things.
  package var toleratesNoise = false
  /// Its answers, which are lines, are read only as far as needed to find their calls. The rest is not checked to be
  /// JSON.
  package var trustsAnswers = false
  /// Each client connection has a connection of its own there, and hears what comes over it.
  package var isPerConnection = false
  /// Where each client connection has its own: the place of the upstream that takes POSTs instead; nil: none does.
  package var placeForPosts: Int?
  /// Notifications that come over an exchange before its answer go to the callers of that answer.
  package var relaysNotifications = false
  /// Clients share a connection, and each hears the progress of its own requests: their tokens are replaced by ours.
  package var passesProgress = false
  /// How long one of a connection's own may still speak once it was told that its client sends no more.
  package var lastWordsMilliseconds: UInt64 = 0
  /// Addresses that do the same work.
  package var endpoints = 1

  package var cancel = CancelDialect.lsp
  /// For `CancelDialect.notification`.
  package var cancelNotification: CancelNotification?
  /// What is left of a request's time, and its `traceparent`, go along in its `task`: there is a lastword.
  package var passesTask = false
  /// In a fleet a request's partition, epoch and generation go along in its `fence`.
  package var passesFence = false
  /// It stops working on a request whose exchange is aborted. Others may go on though their connection is closed.
  package var stopsWhenAborted = false

  package var connectMilliseconds: UInt64?
  package var answerMilliseconds: UInt64?
  /// Requests that an endpoint works on at once; the others wait here.
  package var inFlightPerEndpoint: Int?
  /// Of one client connection, at all endpoints together; nil: three quarters of what they all work on, and 1 at least.
  package var inFlightPerConnection: Int?
  package var waitingRequests: Int?
  package var outputSoftBytes: Int?
  package var outputHardBytes: Int?

  package init(cancel: CancelDialect = .lsp) { self.cancel = cancel }
}

extension UpstreamOptions {
  /// The dialect in which a request is taken back, as far as the upstream can be told at all.
  /// - Parameters:
  ///   - wanted: by the route; nil: as for the upstream.
  ///   - mustBeHeard: what is taken back unheard could not be undone.
  func dialect(_ wanted: CancelDialect?, mustBeHeard: Bool) -> CancelDialect {
    let dialect = wanted ?? cancel
    let isPossible =
      switch dialect {
      case .lsp, .mcp, .none: true
      case .notification: cancelNotification != nil
      case .abort: shape == .exchanges
      }
    guard isPossible else { return .none }
    let isUnheard = dialect.isUnheard(byNotification: takesBackUnheard)
    return mustBeHeard && isUnheard ? .none : dialect
  }

  /// Whether it answers no request that a notification of its own took back.
  var takesBackUnheard: Bool { cancelNotification?.isAnswered == false }
}

/// How an upstream is told that nobody wants an answer any more.
package enum CancelDialect: String, Sendable, CaseIterable {
  /// `$/cancelRequest`; the cancelled request is still answered.
  case lsp
  /// `notifications/cancelled`; the cancelled request is never answered.
  case mcp
  /// A notification of the upstream's own.
  case notification
  /// Its exchange is aborted; over a connection that carries others, it is not told at all.
  case abort
  /// Not at all: the answer is awaited and dropped.
  case none
}

extension CancelDialect {
  /// Whether upstream answers no request that it was told to give up.
  /// - Parameter byNotification: whether that is so of its own notification.
  func isUnheard(byNotification: Bool) -> Bool {
    switch self {
    case .lsp, .none: false
    case .mcp, .abort: true
    case .notification: byNotification
    }
  }
}

/// The notification by which an upstream of no known dialect is told.
package struct CancelNotification: Hashable, Sendable {
  /// Whether the cancelled request is still answered.
  package let isAnswered: Bool
  private let method: [UInt8]
  private let member: [UInt8]
  /// The message up to the request's id.
  let beginning: [UInt8]

  /// - Parameter member: of its params, which holds the id of the cancelled request.
  package init(method: String, member: String, isAnswered: Bool) {
    self.isAnswered = isAnswered
    self.method = Array(method.utf8)
    self.member = Array(member.utf8)
    var beginning = Array("{\"jsonrpc\":\"2.0\",\"method\":".utf8)
    MessageWriter.appendString(method, into: &beginning)
    beginning.append(contentsOf: ",\"params\":{".utf8)
    MessageWriter.appendString(member, into: &beginning)
    beginning.append(UInt8(ascii: ":"))
    self.beginning = beginning
  }
}

extension CancelNotification {
  /// The id in a client's notification of this kind; nil when it is another, or says none.
  func cancelledID(_ envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange? {
    var name: [UInt8] = []
    _ = JSONString.unescape(envelope.method, in: bytes, into: &name)
    guard name == method, !envelope.params.isEmpty else { return nil }
    var params = ObjectReader(envelope.params)
    while let found = params.next(in: bytes) {
      if found.isNamed(member.span, in: bytes) { return found.value }
    }
    return nil
  }
}

/// One of the addresses of an upstream.
package struct UpstreamEndpoint: Hashable, Sendable {
  /// By its place in the configuration.
  package let upstream: Int
  /// By its place among the upstream's addresses.
  package let endpoint: Int

  package init(upstream: Int, endpoint: Int) {
    self.upstream = upstream
    self.endpoint = endpoint
  }
}
