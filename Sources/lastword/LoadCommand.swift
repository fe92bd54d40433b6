import ArgumentParser
import Glibc
import LoadTest

/// `lastword load`: load over real sockets that measures, and checks every reply while it does.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Load a gateway, and check every reply.",
    discussion: """
      Without an address it starts a gateway and an upstream of its own, for as long as it runs.

      Exit status: 0 if every request got exactly one reply and nothing was stale, 1 if not, \
      69 if the gateway could not be reached, 99 if a rule of --fail-if is broken.
      """,
    subcommands: [LoadPoliciesCommand.self, LoadUpstreamCommand.self])

  @OptionGroup var load: LoadFlags

  func run() throws {
    let session = try LoadSession(load) { _ in }
    defer { session.close() }
    let measurement = try session.measure()
    for line in LoadText.lines(measurement) { Console.print(line) }
    if measurement.failure != nil && measurement.replies == 0 { throw ExitCode(EX_UNAVAILABLE) }
    guard LoadVerdict(measurement) == .right else { throw ExitCode.failure }
  }
}
