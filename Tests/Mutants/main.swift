import Glibc
import Simulation

/// Simulates seed after seed until something is wrong: `mutants --seeds N --steps N`.
func number(after flag: String) -> Int? {
  let arguments = CommandLine.arguments
  guard let place = arguments.firstIndex(of: flag), place + 1 < arguments.count else { return nil }
  return Int(arguments[place + 1])
}

guard let seeds = number(after: "--seeds"), let steps = number(after: "--steps") else { exit(64) }
var stepCount = 0
for seed in 1...UInt64(seeds) {
  let run = SeedRun(seed: seed, steps: steps)
  stepCount += run.history.count
  if let complaint = run.complaint {
    print("violation at seed \(seed) after \(stepCount) steps: \(complaint)")
    exit(1)
  }
  if let complaint = LoopsRun(seed: seed, steps: steps / 10).complaint {
    print("violation between loops at seed \(seed): \(complaint)")
    exit(1)
  }
  if let complaint = FleetRun(seed: seed, steps: steps / 20).complaint {
    print("violation in a fleet at seed \(seed): \(complaint)")
    exit(1)
  }
}
print("\(seeds) seeds, \(stepCount) steps, 0 violations")
