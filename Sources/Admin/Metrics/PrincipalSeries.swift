import Gateway
import GatewayCore

/// Which principals have metrics of their own, and what these say: a counter never falls, whoever comes and goes.
///
/// The first ones that are seen have them as long as the process lives. All others are summed up under a name that no
/// principal can have.
struct PrincipalSeries {
  /// So many have their own.
  static let limit = 100
  static let others = "(others)"

  private struct Series {
    let name: String
    /// What has been told of it.
    var told = PrincipalTally()
    /// What the gateway had counted for it when it was last seen.
    private var counted = PrincipalTally()

    init(name: String) { self.name = name }

    /// It is less than before where a loop has forgotten somebody who came by an issuer's token, and comes again.
    mutating func count(_ tally: PrincipalTally) {
      told = told + tally.since(counted)
      counted = tally
    }
  }

  /// In the order in which they were first seen.
  private var series: [Series] = []
  private var places: [String: Int] = [:]
  /// What has been told of all others, and whether anything has: then it is told for ever.
  private var othersTold = PrincipalTally()
  private var hasOthers = false
  private static let nobody = PrincipalView(
    name: "", connections: 0, tasks: 0, requestBytes: 0, tally: PrincipalTally())

  /// What to tell of a gateway's principals now.
  mutating func views(of metrics: GatewayMetrics) -> [PrincipalView] {
    var present: [Int: PrincipalView] = [:]
    var others: [PrincipalView] = []
    for view in PrincipalView.merged(metrics.principals) {
      if let place = place(of: view.name) {
        series[place].count(view.tally)
        present[place] = view
      } else {
        others.append(view)
      }
    }
    let views = series.indices.map {
      (present[$0] ?? Self.nobody).named(series[$0].name, series[$0].told)
    }
    // All that is told under no name of its own, be it of somebody who has gone.
    let named = series.reduce(PrincipalTally()) { $0 + $1.told }
    othersTold = othersTold + metrics.principalTally.since(named).since(othersTold)
    hasOthers = hasOthers || !others.isEmpty || othersTold != PrincipalTally()
    guard hasOthers else { return views }
    let sum = others.reduce(Self.nobody) { $0 + $1 }
    return views + [sum.named(Self.others, othersTold)]
  }

  private mutating func place(of name: String) -> Int? {
    if let place = places[name] { return place }
    guard series.count < Self.limit else { return nil }
    places[name] = series.count
    series.append(Series(name: name))
    return series.count - 1
  }
}
