import ArgumentParser
import Glibc
import LoadTest

/// `lastword load`: sends a load over real sockets, measures it, and checks every reply.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Load a gateway, and check every reply.",
    discussion: """
      Without an address it starts a gateway and an upstream of its own, for as long as it runs.

      What it measures: \(LoadText.legend).

      Exit status: 0 if every request got exactly one reply and nothing was stale, 1 if not, \
      69 if the gateway could not be reached or does not take the token, 99 if a rule of --fail-if is broken.
      """,
    subcommands: [LoadPoliciesCommand.self, LoadUpstreamCommand.self, LoadCompareCommand.self])

  /// The exit status of a run that broke a rule, as in k6.
  static let brokenRuleStatus: Int32 = 99

  @OptionGroup var load: LoadFlags
  @OptionGroup var report: LoadReportFlags

  func run() throws {
    let progress = LoadProgress(seconds: load.seconds, isQuiet: report.quiet)
    let session = try LoadSession(load, showing: progress)
    defer { session.close() }
    let measurement = try session.measure()
    progress.clear()
    try report.expectReplies(measurement)
    if report.showsText {
      for line in LoadText.lines(measurement) { Console.print(line) }
    }
    try report.write([measurement])
    try report.expectRight([measurement])
    try judge(measurement)
  }

  private func judge(_ measurement: LoadMeasurement) throws {
    let broken = report.failIf.filter { $0.isBroken(by: measurement) }
    for rule in broken { Console.error(rule.line(for: measurement)) }
    guard broken.isEmpty else { throw ExitCode(Self.brokenRuleStatus) }
  }
}
