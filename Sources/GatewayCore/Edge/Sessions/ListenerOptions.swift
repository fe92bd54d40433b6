/// The options of one address that clients connect to; each connection has a copy.
package struct ListenerOptions: Sendable {
  package enum Scope: Sendable { case shared, connection }

  private var traits = Bits<UInt16>()

  package init() {}

  /// The clients that share keys, for requests that name no scope.
  package var scope: Scope {
    get { traits[1] ? .connection : .shared }
    set { traits[1] = newValue == .connection }
  }
  /// A client that sends no more wants no answers either.
  package var cancelsAtEnd: Bool {
    get { traits[2] }
    set { traits[2] = newValue }
  }
  /// Superseded callers hear the code of an answer that an edit made useless, which editors do not show.
  package var hidesSupersession: Bool {
    get { traits[4] }
    set { traits[4] = newValue }
  }
  /// Upstreams of a connection's own are opened with it, not with the first request for them.
  package var opensUpstreams: Bool {
    get { traits[8] }
    set { traits[8] = newValue }
  }
  /// It serves known clients only.
  package var asksWho: Bool {
    get { traits[32] }
    set { traits[32] = newValue }
  }
  /// While an upstream of a connection's own does not take what it is sent, no more is read from that connection.
  package var waitsForUpstreams: Bool {
    get { traits[16] }
    set { traits[16] = newValue }
  }
  /// What is special about one connection, beside the listener.
  var kind: ClientKind {
    get { traits[128] ? .exchange : traits[2048] ? .session : traits[64] ? .messages : .stream }
    set {
      traits[64] = newValue != .stream
      traits[128] = newValue == .exchange
      traits[2048] = newValue == .session
    }
  }
  /// Not everything that it asks is the usual, and is done here: it has rules, or other loops have some of its keys.
  var isLookedAt: Bool {
    get { traits[256] }
    set { traits[256] = newValue }
  }
  /// It stands for a client that another loop has.
  var isMirror: Bool {
    get { traits[512] }
    set { traits[512] = newValue }
  }
  /// It is told nothing but answers: a POST whose response is one text.
  var takesAnswersOnly: Bool {
    get { traits[1024] }
    set { traits[1024] = newValue }
  }
  /// Its transport tells its messages apart.
  var hasMessages: Bool { traits[64] }
}
