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
