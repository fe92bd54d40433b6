import JSONRPC

/// What each request asks of its upstream's options: a few bytes, where the options would be copied as a whole.
struct UpstreamTerms {
  /// Where no route says otherwise.
  let handling: Handling
  // In one word, all of them are read at once.
  private var traits = Bits<UInt16>()

  var takesExchanges: Bool { traits[1] }
  /// One message is one line.
  var takesLines: Bool { traits[2] }
  /// A request goes there as a line, in the words that it came in.
  var takesPlainLines: Bool { traits[4] }
  /// Each client connection has an upstream of its own, and keys of its own there.
  var isPerConnection: Bool { traits[8] }
  var stopsWhenAborted: Bool { traits[16] }
  var passesTraces: Bool { traits[32] }
  var relaysNotifications: Bool { traits[64] }
  /// It reports progress by tokens of which it has to be known whose they are.
  var hasTokens: Bool { traits[128] }
  /// Clients share it, and their tokens are replaced.
  var passesProgress: Bool { hasTokens && !isPerConnection }

  /// Clients share it, and it is told of cancels by a method of the configuration's choice.
  var hasSharedCancelMethod: Bool { traits[256] }

  init(_ options: UpstreamOptions) {
    let cancel = options.dialect(nil, mustBeHeard: false)
    handling = Handling(
      cancel: cancel, endsOnCancel: cancel.isUnheard(byNotification: options.takesBackUnheard))
    traits[1] = options.shape == .exchanges
    traits[2] = options.shape == .connection && options.framing == .lines
    let passesProgress = options.passesProgress && options.shape == .connection
    traits[4] = takesLines && !options.passesTask && !options.passesFence && !passesProgress
    traits[8] = options.isPerConnection
    traits[16] = options.stopsWhenAborted
    traits[32] = options.passesTask || takesExchanges
    traits[64] = options.relaysNotifications
    traits[128] = options.isPerConnection || passesProgress
    traits[256] = options.cancelNotification != nil && !options.isPerConnection
  }
}
