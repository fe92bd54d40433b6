import Gateway
import GatewayCore
import Testing

@testable import Admin

/// Which principals have metrics of their own, and that what these count never falls.
@Suite struct PrincipalSeriesTests {
  private static func principal(_ name: String, requests: Int, tasks: Int = 1) -> PrincipalView {
    var tally = PrincipalTally()
    (tally.requests, tally.refused) = (UInt64(requests), 1)
    return PrincipalView(name: name, connections: 1, tasks: tasks, requestBytes: 2, tally: tally)
  }

  /// A gateway's principals, and how many requests of principals it has counted that are not there any more.
  private static func metrics(_ principals: [PrincipalView], gone: Int = 0) -> GatewayMetrics {
    var metrics = GatewayMetrics()
    metrics.principals = principals
    metrics.principalTally.requests = UInt64(gone)
    for view in principals { metrics.principalTally = metrics.principalTally + view.tally }
    return metrics
  }

  /// So many, each with as many requests as its number says.
  private static func principals(_ numbers: ClosedRange<Int>) -> [PrincipalView] {
    numbers.map { principal("p\($0)", requests: $0) }
  }

  private func requests(_ name: String, _ views: [PrincipalView]) -> UInt64? {
    views.first { $0.name == name }?.tally.requests
  }

  @Test func `a hundred are named, and the rest is one sum`() {
    var series = PrincipalSeries()
    let hundred = series.views(of: Self.metrics(Self.principals(1...100)))
    #expect(hundred == Self.principals(1...100))
    let views = series.views(of: Self.metrics(Self.principals(1...103)))
    #expect(views.count == 101 && views[0].name == "p1" && views[99].name == "p100")
    #expect(views[100].name == "(others)" && views[100].tally.requests == 306 && views[100].tasks == 3)
    #expect(views[100].connections == 3 && views[100].tally.refused == 3)
    #expect(series.views(of: Self.metrics([])).count == 101)
  }

  @Test func `who has a series keeps it, wherever it stands, and gets none beyond the hundred`() {
    var series = PrincipalSeries()
    _ = series.views(of: Self.metrics(Self.principals(1...100)))
    // A loop that comes first among the others has seen somebody new.
    let new = Self.principal("new", requests: 7)
    let later = series.views(of: Self.metrics([new] + Self.principals(1...100)))
    #expect(requests("p100", later) == 100 && requests("new", later) == nil)
    #expect(requests("(others)", later) == 7)
    // One of the hundred has gone: its place is not another's, and what it counted stays.
    let without = series.views(of: Self.metrics([new] + Self.principals(2...100), gone: 1))
    #expect(without.count == 101 && requests("p1", without) == 1 && requests("new", without) == nil)
    #expect(without[0].connections == 0 && without[0].tasks == 0 && requests("(others)", without) == 7)
  }

  @Test func `what is counted for others stays there when they have gone`() {
    var series = PrincipalSeries()
    _ = series.views(of: Self.metrics(Self.principals(1...102)))
    let gone = series.views(of: Self.metrics(Self.principals(1...100), gone: 203))
    #expect(gone.count == 101 && requests("(others)", gone) == 203 && gone[100].tasks == 0)
  }

  @Test func `who was forgotten and comes again goes on from what it had`() {
    var series = PrincipalSeries()
    _ = series.views(of: Self.metrics([Self.principal("ada", requests: 5)]))
    // Two more came before it was forgotten, which no look has seen under its name.
    let forgotten = series.views(of: Self.metrics([], gone: 7))
    #expect(requests("ada", forgotten) == 5 && requests("(others)", forgotten) == 2)
    let again = series.views(of: Self.metrics([Self.principal("ada", requests: 3)], gone: 7))
    #expect(requests("ada", again) == 5 && requests("(others)", again) == 5)
    let later = series.views(of: Self.metrics([Self.principal("ada", requests: 9)], gone: 7))
    #expect(requests("ada", later) == 11 && requests("(others)", later) == 5)
  }

  @Test func `who was removed and is back with what it had is not counted twice`() {
    var series = PrincipalSeries()
    _ = series.views(of: Self.metrics([Self.principal("ada", requests: 5)]))
    _ = series.views(of: Self.metrics([], gone: 5))
    let back = series.views(of: Self.metrics([Self.principal("ada", requests: 6)]))
    #expect(back.map(\.name) == ["ada"] && requests("ada", back) == 6)
  }
}
