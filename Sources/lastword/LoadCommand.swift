import ArgumentParser
import LibUV
import LoadTest
import TaskStore

/// `lastword load`: a closed loop over real sockets that measures, and checks every reply while it does.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Load a gateway, and check every reply.",
    discussion: """
      Exit status: 0 if every request got exactly one reply and nothing was stale, 1 if not, \
      69 if the gateway could not be reached.
      """)

  @Option(help: "Address of the gateway: HOST:PORT or unix:PATH.")
  var to: SocketAddress = .tcp(host: "127.0.0.1", port: 5278)

  @Option(help: "Connections.")
  var connections = 64

  @Option(help: "Requests open at once on each connection.")
  var depth = 16

  @Option(help: "Keys of each connection.")
  var keys = 16

  @Option(help: "The policy of every request: \(DuplicatePolicy.names).")
  var policy: DuplicatePolicy = .cancel

  @Flag(help: "Send requests without keys, which nothing supersedes.")
  var noKeys = false

  @Option(help: "The method to call; its result must be its params, unless --any-answer is given.")
  var method = "echo"

  @Flag(help: "Accept any result.")
  var anyAnswer = false

  @Option(help: "Bytes of padding in each request's params.")
  var padding = 64

  @Option(help: "Seconds to send for.")
  var seconds = 5.0

  @Option(help: "End after so many requests; 0 for no such bound.")
  var requests: UInt64 = 0

  @Option(help: "Milliseconds that answers may still take once nothing is sent any more.")
  var patienceMs: UInt64 = 10_000

  @Option(help: "Seed of the choice of keys.")
  var seed: UInt64 = 1

  func validate() throws {
    try check(connections, "--connections", 1...10_000)
    try check(depth, "--depth", 1...10_000)
    try check(keys, "--keys", 1...1_000_000)
    try check(padding, "--padding", 0...4_000_000)
    guard (0.001...3_600).contains(seconds) else { throw ValidationError("--seconds must be 0.001 to 3600") }
  }

  private func check(_ value: Int, _ name: String, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError("\(name) must be \(range.lowerBound) to \(range.upperBound)")
    }
  }

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    _ = DescriptorLimit.raise()
    let loop = try EventLoop()
    var report: LoadReport?
    let run = LoadRun(options, on: loop) { report = $0 }
    withExtendedLifetime(run) { loop.run() }
    guard let report else { throw ExitCode.failure }
    for line in report.lines { Console.print(line) }
    if report.failure != nil && report.replies == 0 { throw ExitCode(69) }
    if !report.isRight { throw ExitCode.failure }
  }

  private var options: LoadOptions {
    var options = LoadOptions(address: to)
    options.connections = connections
    options.depth = depth
    options.keys = keys
    options.policy = noKeys ? nil : policy
    options.method = method
    options.expectsEcho = !anyAnswer
    options.paddingBytes = padding
    options.milliseconds = UInt64(seconds * 1_000)
    options.requests = requests
    options.patienceMilliseconds = patienceMs
    options.seed = seed
    return options
  }
}
