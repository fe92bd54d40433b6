import GatewayCore
import JSONRPC
import Upstreams

/// The bounds and times of a gateway, and who may use it.
///
/// Every duration is from zero to an hour, and is rounded up to whole milliseconds. A number or duration beyond its
/// bounds is a programming error: ``Gateway/init(listen:options:logger:)`` stops the program.
public struct GatewayOptions: Sendable {
  /// How long a caller waits for its answer, from the arrival of its request; it is then answered -32083. The
  /// `timeoutMs` of a request's own `task`, and ``MethodOptions/timeout``, win over this. A minute by default.
  public var timeout: Duration = .seconds(60)

  /// How long ``Gateway/run(onReady:)``, once it is cancelled, waits for requests that have not been answered.
  /// 5 seconds by default.
  public var drain: Duration = .seconds(5)

  /// How many requests handlers work on at once, 1 to 10,000; further ones wait for their turn. 10,000 by default.
  ///
  /// A superseded or cancelled request counts until its handler has returned. Set this low if handlers keep the
  /// processor busy. Each server that requests are forwarded to has the same bound for itself.
  public var runningRequests = HandlerSession.runningLimit

  /// How many of ``runningRequests`` one client connection, or all connections of one ``Principal`` together, may have,
  /// 1 to ``runningRequests``; further ones of it wait for their turn. Nil, the default, stands for three quarters, and
  /// at least one. As long as this is less than ``runningRequests``, some are always left for others.
  public var runningRequestsPerConnection: Int?

  /// How many requests may wait for their turn, at least 1; further ones are answered -32082. 10,000 by default. Each
  /// server that requests are forwarded to has the same bound for itself.
  public var waitingRequests = 10_000

  /// How many client connections there may be, at least 1; further ones are answered -32082 and closed. 10,000 by
  /// default. The process's limit of file descriptors can lower this: an eighth of them, and 64 more, stay free for the
  /// rest of the program.
  public var connections = 10_000

  /// The longest message from a client, in bytes, without its line end or header, 64 KiB to 16 MiB; a longer one is
  /// answered -32086. 4 MiB by default. Results of handlers may have 32 KiB less.
  public var messageBytes = WireLimits.messageBytes

  /// How many event loops serve clients, each on a thread of its own, 1 to 16. 1 by default: more help if one loop
  /// alone keeps a processor busy.
  ///
  /// Each key belongs to one loop, whichever connections its requests come from. Each loop has an equal part of
  /// ``runningRequests``, ``runningRequestsPerConnection`` and ``waitingRequests``, and at least 1.
  public var loops = 1

  /// Whether clients have to authenticate. ``Authentication-swift.enum/none`` by default.
  ///
  /// Wrong principals are the error ``GatewayError/Code/invalidPrincipal`` of ``Gateway/run(onReady:)``.
  public var authentication = Authentication.none

  /// Which machines may reach the addresses. ``Audience-swift.enum/loopback`` by default: to serve other machines, set
  /// this to ``Audience-swift.enum/network``, or require ``authentication-swift.property``.
  public var audience = Audience.loopback

  /// The protocols that clients may speak, at least one. All by default. The first bytes of a connection show which of
  /// them it speaks.
  public var protocols = Set(ClientProtocol.allCases)

  /// The origins of web pages that may use HTTP and WebSocket, such as `https://app.example.com` (RFC 6454), at most
  /// 64. None by default. `"*"` as the only one allows all pages; it requires that ``authentication-swift.property``
  /// knows all principals by tokens only.
  ///
  /// A wrong origin is the error ``GatewayError/Code/invalidOrigin`` of ``Gateway/run(onReady:)``.
  public var origins: [String] = []

  /// The host names, besides `localhost`, that HTTP and WebSocket requests may have in their `Host` field, at most 16,
  /// each of at most 253 bytes and without a port. IP addresses are always allowed. None by default.
  ///
  /// A wrong name is the error ``GatewayError/Code/invalidHost`` of ``Gateway/run(onReady:)``.
  public var hosts: [String] = []

  /// The permissions of the files of Unix sockets to listen on, 0 to 0777, whatever the umask. 0600 by default: only
  /// the same user can connect.
  public var socketMode: UInt32 = 0o600

  /// The seed of all random choices of the gateway, to repeat a run. Nil, the default, stands for a random one.
  public var seed: UInt64?

  /// Options with the default values.
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

  /// Whether the gateway may listen on addresses that other machines can reach.
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
