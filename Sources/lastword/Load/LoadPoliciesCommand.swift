import ArgumentParser
import LoadTest
import TaskStore

/// `lastword load policies`: runs every policy in turn, with the same arrivals.
struct LoadPoliciesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policies", abstract: "Load with each policy in turn, on the same arrivals, side by side.")

  @OptionGroup var load: LoadFlags
  @OptionGroup var report: LoadReportFlags

  func validate() throws {
    guard !load.direct else { throw ValidationError("--direct is about one policy: use lastword load") }
    guard load.policy == nil && load.policies == nil && !load.noKeys else {
      throw ValidationError("every policy has its turn: leave --policy, --policies and --no-keys out")
    }
    guard report.json == nil && report.csv == nil && report.failIf.isEmpty else {
      throw ValidationError("--json, --csv and --fail-if are about one run: use --html")
    }
  }

  func run() throws {
    let progress = LoadProgress(seconds: load.seconds, isQuiet: report.quiet)
    let session = try LoadSession(load, showing: progress)
    defer { session.close() }
    var measurements: [LoadMeasurement] = []
    for policy in DuplicatePolicy.allCases where session.interruptedBy == nil {
      progress.begin(policy.name)
      measurements.append(try session.measure { $0.workload.policies = PolicyMix(policy) })
      progress.clear()
      try report.expectReplies(measurements[measurements.count - 1])
    }
    if report.showsText {
      for line in LoadText.table(measurements) { Console.print(line) }
    }
    try report.write(measurements)
    try report.expectRight(measurements)
  }
}
