import ArgumentParser
import Simulation

/// `lastword simulate`: looks for violations in generated histories of the whole gateway.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate the gateway's core, faults and all, and check everything it does.",
    discussion: """
      Each seed makes up one history of clients, upstream, network, operator and time; the same seed always \
      makes the same one. Exit status: 0 if nothing was wrong, 1 if something was: then the shortest history \
      found that shows it is printed.
      """)

  @Option(help: "The first seed.")
  var seed: UInt64 = 1

  @Option(help: "How many seeds.")
  var seeds: UInt64 = 100

  @Option(help: "Steps of each history, before the faults stop.")
  var steps = 2_000

  @Option(help: "How many gateways each history has; by default as many as the seed makes up, mostly one.")
  var members: Int?

  func validate() throws {
    guard (1...1_000_000_000).contains(seeds) else {
      throw ValidationError("--seeds must be 1 to 1000000000")
    }
    guard (1...100_000_000).contains(steps) else { throw ValidationError("--steps must be 1 to 100000000") }
    if let members, !(1...Self.mostMembers).contains(members) {
      throw ValidationError("--members must be 1 to \(Self.mostMembers)")
    }
    guard seed <= UInt64.max - seeds else { throw ValidationError("--seed is too large") }
  }

  func run() throws {
    var coverage = Coverage()
    var stepCount = 0
    var counts = PeerCounts()
    for number in seed..<seed + seeds {
      let timeout = Self.fewestSeconds + UInt32(steps / Self.stepsPerSecond)
      CrashNote.set("seed \(number) of \(steps) steps ended in a trap or never", limitSeconds: timeout)
      let run = SeedRun(seed: number, steps: steps, members: members)
      let loops = LoopsRun(seed: number, steps: steps / Self.stepsPerLoopStep)
      let fleet = FleetRun(seed: number, steps: steps / Self.stepsPerFleetStep)
      CrashNote.clear()
      stepCount += run.history.count
      coverage.add(run.coverage)
      if run.complaint != nil {
        report(run)
        throw ExitCode.failure
      }
      counts.add(loops, fleet)
      if let complaint = loops.complaint {
        for line in loops.story { Console.print(line) }
        Console.print("seed \(number), several loops: \(complaint)")
        throw ExitCode.failure
      }
      if let complaint = fleet.complaint {
        for line in fleet.story { Console.print(line) }
        Console.print("seed \(number), members of a fleet: \(complaint)")
        throw ExitCode.failure
      }
      let done = number - seed + 1
      if done.isMultiple(of: Self.seedsPerLine) {
        Console.error("\(done) of \(seeds) seeds, \(stepCount) steps")
      }
    }
    for (count, name) in coverage.rows.map({ ($0.count, $0.name) }) + counts.rows {
      Console.print("\(count == 0 ? "never" : "\(count)") \(name)")
    }
    Console.print("\(seeds) seeds, \(stepCount) steps, 0 violations")
  }

  private static let mostMembers = 16
  /// A history of several loops has fewer steps: only traffic between loops is simulated there.
  private static let stepsPerLoopStep = 10
  /// A fleet's history has fewer steps, too: each of them is seconds of several members.
  private static let stepsPerFleetStep = 20
  private static let seedsPerLine: UInt64 = 1_000
  /// A seed that takes longer than this counts as hanging.
  private static let fewestSeconds: UInt32 = 30
  private static let stepsPerSecond = 5_000

  private func report(_ run: SeedRun) {
    Console.error("seed \(run.seed): \(run.complaint ?? "")")
    CrashNote.set(
      "making the history of seed \(run.seed) shorter ended in a trap or never", limitSeconds: 3_600)
    defer { CrashNote.clear() }
    Console.error("making the history of \(run.history.count) steps shorter")
    var shrinking = HistoryShrinking(run)
    let shortest = SeedRun(
      seed: run.seed, replaying: shrinking.shortest(run.history), members: run.members)
    let members = run.members == 1 ? "" : "\(run.members) members, "
    Console.print("seed \(run.seed), \(members)\(shortest.history.count) steps of \(run.history.count):")
    for line in Narration(shortest.history).lines { Console.print(line) }
    Console.print("and then: \(shortest.complaint ?? run.complaint ?? "")")
  }
}

/// Counts of the traffic between several loops or members.
private struct PeerCounts {
  private var forwarded = 0
  private var pieces = 0
  private var joined = 0
  private var followed = 0
  private var heldBack = 0
  private var fleetPieces = 0
  private var fleetJoined = 0
  private var fleetFollowed = 0
  private var fenced = 0
  private var undone = 0
  private var exchanges = 0
  private var acts = 0
  private var fleetForwarded = 0
  private var faults = FleetFaultCounts()

  mutating func add(_ loops: LoopsRun, _ fleet: FleetRun) {
    forwarded += loops.forwardedCount
    pieces += loops.pieceCount
    joined += loops.joinedCount
    followed += loops.followedCount
    heldBack += loops.heldBackCount
    fleetPieces += fleet.pieceCount
    fleetJoined += fleet.joinedCount
    fleetFollowed += fleet.followedCount
    fenced += fleet.fencedCount
    undone += fleet.undoneCount
    exchanges += fleet.exchangeCount
    acts += fleet.actCount
    fleetForwarded += fleet.forwardedCount
    faults.add(fleet.faults)
  }

  var rows: [(Int, String)] {
    [
      (forwarded, "requests for another loop"), (pieces, "pieces of answers"),
      (joined, "requests that share another's answer"),
      (followed, "requests that follow to another's answer"),
      (heldBack, "answers that wait for those of other loops"),
      (fleetPieces, "pieces of answers in a fleet"),
      (fleetJoined, "requests that share another's answer in a fleet"),
      (fleetFollowed, "requests that follow to another's answer in a fleet"),
      (fenced, "requests that an upstream refuses by their fences"),
      (undone, "requests that are undone in a fleet"), (exchanges, "exchanges of members of a fleet"),
      (fleetForwarded, "requests for another member"), (acts, "acts of members of a fleet"),
    ] + faults.rows
  }
}
