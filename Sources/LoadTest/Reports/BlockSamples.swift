/// The samples of one side of a comparison, run by run.
struct BlockSamples {
  /// The most samples of a run: if it has more, neighbours are averaged.
  private static let samplesPerRun = 500

  let runs: [[Double]]

  init(_ runs: [[Double]]) { self.runs = runs.filter { !$0.isEmpty }.map(Self.thinned) }

  var count: Int { runs.reduce(0) { $0 + $1.count } }

  var mean: Double { runs.joined().reduce(0, +) / Double(max(1, count)) }

  /// The mean of samples drawn with replacement from runs drawn with replacement.
  func resampledMeanOfRuns(_ random: inout LoadRandom) -> Double {
    var (sum, drawn) = (0.0, 0)
    for _ in runs.indices {
      let run = runs[random.below(runs.count)]
      for _ in run.indices { sum += run[random.below(run.count)] }
      drawn += run.count
    }
    return sum / Double(max(1, drawn))
  }

  /// The mean of samples drawn with replacement, from each run as many as it has.
  func resampledMean(_ random: inout LoadRandom) -> Double {
    var sum = 0.0
    for run in runs {
      for _ in run.indices { sum += run[random.below(run.count)] }
    }
    return sum / Double(max(1, count))
  }

  private static func thinned(_ samples: [Double]) -> [Double] {
    let length = (samples.count + samplesPerRun - 1) / samplesPerRun
    guard length > 1 else { return samples }
    return stride(from: 0, to: samples.count, by: length).map { start in
      let part = samples[start..<min(start + length, samples.count)]
      return part.reduce(0, +) / Double(part.count)
    }
  }
}
