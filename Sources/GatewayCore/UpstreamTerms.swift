import JSONRPC

/// What each request asks of its upstream's options: a few bytes, where the options would be copied as a whole.
struct UpstreamTerms {
  /// How upstream is told, where no route says otherwise.
  let cancel: CancelDialect
  let takesBackUnheard: Bool
  let takesExchanges: Bool
  /// One message is one line.
  let takesLines: Bool
  let passesTask: Bool
  /// Each client connection has an upstream of its own, and keys of its own there.
  let isPerConnection: Bool

  var passesTraces: Bool { passesTask || takesExchanges }

  init(_ options: UpstreamOptions) {
    cancel = options.dialect(nil, mustBeHeard: false)
    takesBackUnheard = options.takesBackUnheard
    takesExchanges = options.shape == .exchanges
    takesLines = options.shape == .connection && options.framing == .lines
    passesTask = options.passesTask
    isPerConnection = options.isPerConnection
  }
}
