import GatewayCore
import JSONRPC
import Upstreams

/// The bounds and times of a gateway.
///
/// Every duration is at most an hour, and counts in milliseconds.
public struct GatewayOptions: Sendable {
  /// How long a caller waits, from the arrival of its request; it is then answered -32083. A request's own
  /// `timeoutMs`, and ``MethodOptions/timeout``, win. A minute by default.
  public var timeout: Duration = .seconds(60)

  /// How long ``Gateway/run(onReady:)``, once it is cancelled, waits for what has not been answered. 5 seconds by
  /// default.
  public var drain: Duration = .seconds(5)

  /// Requests that handlers work on at once, 1 to 10,000; further ones wait for their turn. 10,000 by default.
  ///
  /// Those that nobody wants any more count until their handlers have returned. Set this low where handlers keep the
  /// processor busy.
  public var runningRequests = HandlerSession.runningLimit

  /// Of those, the most of one client connection, 1 to ``runningRequests``; further ones of it wait for their turn. Three
  /// quarters, and at least one, if nil, the default: so there is always room for what others ask.
  public var runningRequestsPerConnection: Int?

  /// Requests that wait for their turn; further ones are answered -32082. 10,000 by default.
  public var waitingRequests = 10_000

  /// Client connections; further ones are answered -32082 and closed. 10,000 by default, and never more than leave
  /// an eighth of the process's file descriptors free.
  public var connections = 10_000

  /// A message from a client, and what it is answered, in bytes, 64 KiB to 16 MiB; a longer one is -32086. 4 MiB by
  /// default.
  public var messageBytes = WireLimits.messageBytes

  /// Loops that serve clients, each on a thread of its own, 1 to 16. One by default: more are of use where one keeps a
  /// processor busy.
  ///
  /// Each key belongs to one of them, whichever connections its requests come by. Of ``runningRequests`` and
  /// ``waitingRequests`` each has an equal part.
  public var loops = 1

  /// Whether clients are asked who they are. ``Authentication-swift.enum/none`` by default.
  ///
  /// Who is wrong, or known twice, is a ``GatewayError`` when the gateway runs.
  public var authentication = Authentication.none

  /// Who may reach the addresses. ``Audience-swift.enum/loopback`` by default: serving others than this machine has to
  /// be meant, unless ``authentication-swift.property`` has each client say who it is.
  public var audience = Audience.loopback

  /// What clients may speak; which of them a connection speaks its first bytes say. All by default, and at least one.
  public var protocols = Set(ClientProtocol.allCases)

  /// Whose pages in browsers may come by HTTP and WebSocket, as `https://app.example.com`, at most 64; nobody's by
  /// default. `"*"` alone lets all in, where ``authentication-swift.property`` has each show a token.
  ///
  /// What is no origin is a ``GatewayError`` when the gateway runs.
  public var origins: [String] = []

  /// Names, besides `localhost`, by which HTTP and WebSocket may ask for the gateway, without a port, at most 16; by an
  /// address they always may. None by default.
  public var hosts: [String] = []

  /// The permissions of the files of Unix sockets that clients connect to, whatever the umask. 0600 by default: only
  /// the same user can.
  public var socketMode: UInt32 = 0o600

  /// Where everything random comes from, to repeat a run; nil, the default, for a seed of the system's.
  public var seed: UInt64?

  /// The usual bounds and times.
  public init() {}

  func check() {
    precondition((1...HandlerSession.runningLimit).contains(runningRequests), "runningRequests: 1 to 10,000")
    precondition(
      (1...runningRequests).contains(runningRequestsPerConnection ?? 1),
      "runningRequestsPerConnection: 1 to runningRequests")
    precondition(waitingRequests >= 1, "waitingRequests: at least 1")
    precondition((1...LoopPlace.most).contains(loops), "loops: 1 to 16")
    precondition(connections >= 1, "connections: at least 1")
    precondition((65_536...16_777_216).contains(messageBytes), "messageBytes: 64 KiB to 16 MiB")
    precondition(!protocols.isEmpty, "protocols: at least one")
    precondition(origins.count <= 64, "origins: at most 64")
    precondition(hosts.count <= 16, "hosts: at most 16")
    precondition(socketMode <= 0o777, "socketMode: 0 to 0777")
    timeout.check("timeout")
    drain.check("drain")
  }

  /// Whether it is meant that others than this machine come.
  var isForOthers: Bool {
    if case .required = authentication { true } else { audience == .network }
  }

  func apply(to core: inout GatewayConfiguration) {
    core.timeoutMilliseconds = timeout.milliseconds
    core.server.drainMilliseconds = UInt64(drain.milliseconds)
    core.inFlightPerEndpoint = runningRequests
    core.upstreams[0].inFlightPerConnection = runningRequestsPerConnection
    core.waitingPerUpstream = waitingRequests
    core.connections = min(connections, DescriptorBudget.connections)
    core.messageLimitBytes = messageBytes
  }
}
