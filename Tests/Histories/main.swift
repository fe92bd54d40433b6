import Glibc

/// Walks every history of so many events on one key, and two less where something is unusual: `histories EVENTS`.
guard CommandLine.arguments.count == 2, let depth = Int(CommandLine.arguments[1]), depth > 2 else { exit(64) }
func walk(_ histories: AllHistories, depth: Int) {
  guard let complaint = histories.complaint(depth: depth) else { return }
  print(complaint)
  exit(1)
}
walk(AllHistories(), depth: depth)
for variant in HistoryVariant.allCases { walk(AllHistories(variant), depth: depth - 2) }
let variants = HistoryVariant.allCases.count
print("all histories of \(depth) events, and of \(depth - 2) in \(variants) unusual settings")
