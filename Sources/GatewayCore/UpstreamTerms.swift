import JSONRPC

/// How a request is handled, once it is admitted.
struct Handling {
  /// How upstream is told that nobody wants it any more.
  var cancel: CancelDialect
  /// Upstream does not answer what it was told to give up.
  var endsOnCancel: Bool
  /// The higher goes first where requests wait for an upstream.
  var priority = UInt8(Route.usualPriority)
  /// The router's number of the method that undoes it, or -1.
  @Compact var compensation = -1
}

/// What each request asks of its upstream's options: a few bytes, where the options would be copied as a whole.
struct UpstreamTerms {
  /// Where no route says otherwise.
  let handling: Handling
  let takesExchanges: Bool
  /// One message is one line.
  let takesLines: Bool
  let passesTask: Bool
  /// Each client connection has an upstream of its own, and keys of its own there.
  let isPerConnection: Bool

  var passesTraces: Bool { passesTask || takesExchanges }

  init(_ options: UpstreamOptions) {
    let cancel = options.dialect(nil, mustBeHeard: false)
    handling = Handling(
      cancel: cancel, endsOnCancel: cancel.isUnheard(byNotification: options.takesBackUnheard))
    takesExchanges = options.shape == .exchanges
    takesLines = options.shape == .connection && options.framing == .lines
    passesTask = options.passesTask
    isPerConnection = options.isPerConnection
  }
}
