import ArgumentParser
import LoadTest
import TaskStore

/// `lastword load policies`: every policy in turn, on the same arrivals.
struct LoadPoliciesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policies", abstract: "Load with each policy in turn, on the same arrivals, side by side.")

  @OptionGroup var load: LoadFlags

  func validate() throws {
    guard load.policy == nil && load.policies == nil && !load.noKeys else {
      throw ValidationError("every policy has its turn: leave --policy, --policies and --no-keys out")
    }
  }

  func run() throws {
    let session = try LoadSession(load) { _ in }
    defer { session.close() }
    var measurements: [LoadMeasurement] = []
    for policy in DuplicatePolicy.allCases where session.interruptedBy == nil {
      measurements.append(try session.measure { $0.workload.policies = PolicyMix(policy) })
    }
    for line in LoadText.table(measurements) { Console.print(line) }
    guard measurements.allSatisfy({ LoadVerdict($0) == .right }) else { throw ExitCode.failure }
  }
}
