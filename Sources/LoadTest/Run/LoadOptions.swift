package import Addresses

/// What a load run does, and for how long.
package struct LoadOptions: Sendable {
  package enum Pace: Hashable, Sendable {
    /// On each connection this number of requests is always open.
    case closed(depth: Int)
    /// By a schedule, however long the answers take.
    case open(Schedule)
    /// As people type.
    case typing
  }

  package var address: SocketAddress
  /// Other members of the gateway's fleet: clients are dealt out over all, and go to the next when one ends their
  /// connection.
  package var members: [SocketAddress] = []
  package var transport = TransportChoice.all(.lines)
  package var workload = Workload()
  package var pace = Pace.closed(depth: 16)
  package var method = "echo"
  package var milliseconds: UInt64 = 5_000
  /// The time at the beginning in which requests are sent and checked, but not measured.
  package var warmUpMilliseconds: UInt64 = 0
  /// The number of requests after which the run ends early; 0: there is no such bound.
  package var requests: UInt64 = 0
  /// How long answers may take once nothing is sent any more.
  package var timeoutMilliseconds: UInt64 = 10_000
  /// In an open loop nothing is sent while so many requests are open.
  package var openLimit = 50_000
  /// Whether a result must carry the number of its request.
  package var expectsEcho = true
  /// How long after its sending a request is cancelled, if the workload cancels it.
  package var cancelMilliseconds: UInt64 = 2
  /// Resets of connections by the client itself, over all of them.
  package var disconnectsPerSecond = 0.0
  /// The address of the bundled upstream, which is asked for its work; nil: another upstream.
  package var upstreamAddress: SocketAddress?
  /// Asks upstream itself: the requests carry no task, and nothing supersedes anything.
  package var isDirect = false
  /// Tells this run's keys from those of every other.
  package var run = Self.newRun()
  /// The message, with `loginNumber`, by which each connection authenticates before its first request; nil: none.
  package var login: [UInt8]?
  /// The token of each POST; nil: none.
  package var token: String?
  package var settings: [LoadMeasurement.Setting] = []

  /// The id of the message that authenticates: requests count from 1.
  package static let loginNumber: UInt64 = 0

  /// The most requests that are open at once on each client, where the pace says so.
  var depth: Int? { if case .closed(let depth) = pace { depth } else { nil } }

  /// Connections of each client that sends POSTs: a request never waits behind another, where the pace says how many
  /// are open.
  package var connectionsOfPosts: Int { (depth ?? Self.usualConnectionsOfPosts) + (takesBack ? 1 : 0) }

  private static let usualConnectionsOfPosts = 16

  package var isOfFleet: Bool { !members.isEmpty }

  /// The address for a client that has moved so many times.
  func address(of client: Int, move: Int) -> SocketAddress {
    let place = (client + move) % (members.count + 1)
    return place == 0 ? address : members[place - 1]
  }

  /// Whether requests are cancelled by their client.
  var takesBack: Bool { workload.cancelShare > 0 && !isDirect }

  /// The range of run numbers: all have the same length, so that the same seed sends the same bytes, and every reader
  /// of JSON reads them exactly.
  private static let runs: ClosedRange<UInt64> = 100_000_000_000_000...1 << 48

  package static func newRun() -> UInt64 { UInt64.random(in: runs) }

  package init(address: SocketAddress) { self.address = address }
}
