import JSONRPC

/// What each request asks of its upstream's options: a few bytes, where the options would be copied as a whole.
struct UpstreamTerms {
  /// Where no route says otherwise.
  let handling: Handling
  // In one byte, all of them are read at once.
  private var traits = Bits<UInt8>()

  var takesExchanges: Bool { traits[1] }
  /// One message is one line.
  var takesLines: Bool { traits[2] }
  var passesTask: Bool { traits[4] }
  /// Each client connection has an upstream of its own, and keys of its own there.
  var isPerConnection: Bool { traits[8] }
  var stopsWhenAborted: Bool { traits[16] }
  var passesTraces: Bool { traits[32] }
  var relaysNotifications: Bool { traits[64] }

  init(_ options: UpstreamOptions) {
    let cancel = options.dialect(nil, mustBeHeard: false)
    handling = Handling(
      cancel: cancel, endsOnCancel: cancel.isUnheard(byNotification: options.takesBackUnheard))
    traits[1] = options.shape == .exchanges
    traits[2] = options.shape == .connection && options.framing == .lines
    traits[4] = options.passesTask
    traits[8] = options.isPerConnection
    traits[16] = options.stopsWhenAborted
    traits[32] = passesTask || takesExchanges
    traits[64] = options.relaysNotifications
  }
}
