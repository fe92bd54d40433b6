import JSONRPC

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
  let stopsWhenAborted: Bool

  var passesTraces: Bool { passesTask || takesExchanges }

  init(_ options: UpstreamOptions) {
    let cancel = options.dialect(nil, mustBeHeard: false)
    handling = Handling(
      cancel: cancel, endsOnCancel: cancel.isUnheard(byNotification: options.takesBackUnheard))
    takesExchanges = options.shape == .exchanges
    takesLines = options.shape == .connection && options.framing == .lines
    passesTask = options.passesTask
    isPerConnection = options.isPerConnection
    stopsWhenAborted = options.stopsWhenAborted
  }
}
