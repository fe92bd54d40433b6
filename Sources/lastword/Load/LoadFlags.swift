import Addresses
import ArgumentParser
import LibUV
import LoadTest
import TaskStore

/// The flags of `lastword load`: what it sends, where to and for how long.
struct LoadFlags: ParsableArguments {
  @Option(
    help: "Address of the gateway: \(GatewayPlace.forms). (default: one of its own, with an upstream)",
    completion: .clientAddress)
  var to: GatewayPlace?

  @Option(
    help: ArgumentHelp(
      "How messages go there: \(TransportChoice.forms), where each connection draws one.",
      valueName: "transport"),
    completion: .words(TransportChoice.names))
  var transport = TransportChoice.all(.lines)

  @Option(
    help: ArgumentHelp(
      """
      Another member of the gateway's fleet, as often as there are; connections are dealt out over all of them, and \
      one that a member ends goes to the next.
      """, valueName: "address"),
    completion: .clientAddress)
  var member: [SocketAddress] = []

  @OptionGroup var tls: TLSFlags

  @OptionGroup var token: TokenSource

  @Option(help: "Address of the lastword load upstream that the gateway forwards to, to ask it what it did.")
  var upstreamAt: SocketAddress?

  @Option(
    help: "How the upstream of its own behaves: \(UpstreamBehaviour.forms). (default: jitter:1..20)",
    completion: .words(UpstreamBehaviour.names))
  var behaviour: UpstreamBehaviour?

  @Option(help: "Connections.")
  var connections = 64

  @Option(
    help:
      "Requests open at once on each connection; the next is sent when one is answered. (default: \(usualDepth))"
  )
  var depth: Int?

  @Option(help: ArgumentHelp("Sends by a schedule instead: \(Schedule.forms).", valueName: "schedule"))
  var rate: Schedule?

  @Option(help: "Which keys are asked for: \(Workload.Keys.forms).", completion: .words(Workload.Keys.names))
  var workload: Workload.Keys = .drawn(.uniform)

  @Option(help: "Keys of each connection, or of all with --shared-keys.")
  var keys = 16

  @Flag(help: "All connections ask for the same keys.")
  var sharedKeys = false

  @Flag(
    help:
      "The gateway has several loops: requests of one connection for different keys have no order there."
  )
  var severalLoops = false

  @Option(help: "The policy of every request. (default: cancel)")
  var policy: DuplicatePolicy?

  @Option(help: "Several policies by their weights, such as cancel=3,wait=1.")
  var policies: PolicyMix?

  @Flag(help: "Send requests without keys, which nothing supersedes.")
  var noKeys = false

  @Option(
    help: "The method to call; its result must carry its params' n, unless --any-answer is given.",
    completion: .method)
  var method = "echo"

  @Flag(help: "Accept any result.")
  var anyAnswer = false

  @Option(help: "Bytes of padding in each request's params. (default: 64, or as --size says)")
  var padding: Int?

  @Option(help: "Bytes of a request: a number, or a range such as 64..4096.")
  var size: SizeRange?

  @Option(
    help:
      "Pieces that upstream gives of each answer before it; each request asks for them. It has to be lastword's own."
  )
  var pieces = 0

  @Option(help: "Milliseconds from each piece to the next.")
  var pieceMs = 0

  @Option(help: "Bytes of padding in each piece.")
  var piecePadding = 0

  @Option(help: "Seconds to send for.")
  var seconds = 10.0

  @Option(help: "Seconds to send for before anything is measured.")
  var warmUp = 0.0

  @Option(help: "End after so many requests; 0 for no such bound.")
  var requests: UInt64 = 0

  @Option(help: "Milliseconds that answers may still take once nothing is sent any more.")
  var patienceMs: UInt64 = 10_000

  @Option(help: "With a schedule: nothing is sent while so many requests are open.")
  var maxOpen = 50_000

  @Option(help: "The share of the requests that the client cancels, 0 to 1.")
  var cancels = 0.0

  @Option(help: "Milliseconds from the sending of such a request to its cancelling. (default: 2)")
  var cancelAfterMs: UInt64?

  @Option(help: "How many connections the client resets and makes anew in a second.")
  var disconnects = 0.0

  @Flag(help: "Then send the same requests to the upstream itself, to see what the gateway saved.")
  var direct = false

  @Option(help: "Seed of everything that is drawn.")
  var seed: UInt64 = 1
}

/// The shortest and longest request, in bytes.
struct SizeRange: ExpressibleByArgument {
  var bytes: ClosedRange<Int>

  init?(argument: String) {
    let ends = argument.split(separator: "..", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard (1...2).contains(ends.count), let least = ends.first, let most = ends.last, least >= 0,
      least <= most
    else { return nil }
    bytes = least...most
  }
}

extension UpstreamBehaviour: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }
}

extension Schedule: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }
}

extension TransportChoice: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }
  package var defaultValueDescription: String { description }
}

extension PolicyMix: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }
}

extension Workload.Keys: ExpressibleByArgument {
  package init?(argument: String) { self.init(parsing: argument) }
  package var defaultValueDescription: String { description }
}
