import Foundation
import Gateway
import GatewayCore
import Testing

@testable import Admin

/// The principals of whom the live page is told.
@Suite struct TopTalkersTests {
  private func principal(_ name: String, tasks: Int = 0, requests: UInt64 = 0) -> PrincipalView {
    var tally = PrincipalTally()
    tally.requests = requests
    return PrincipalView(name: name, connections: 1, tasks: tasks, requestBytes: 0, tally: tally)
  }

  private func names(_ principals: [PrincipalView]) -> [String] { TopTalkers.among(principals).map(\.name) }

  private func stats(_ principals: [PrincipalView]) throws -> [String: Any] {
    var metrics = GatewayMetrics()
    metrics.principals = principals
    let text = StatsText.of(metrics, FeedCounts(), unreached: [], at: 0)
    return try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
  }

  @Test func `those with the most tasks come first, of equals those with the most requests, then the oldest`()
  {
    let principals = [
      principal("idle"), principal("ada", tasks: 1, requests: 5), principal("ben", tasks: 2),
      principal("cyd", tasks: 1, requests: 9), principal("dot", tasks: 1, requests: 5),
    ]
    #expect(names(principals) == ["ben", "cyd", "ada", "dot", "idle"])
    #expect(names([]) == [])
  }

  @Test func `eight are told of, and of nine the one that takes least is left out, wherever it stands`() {
    let eight = (1...8).map { principal("p\($0)", tasks: $0) }
    let sorted = ["p8", "p7", "p6", "p5", "p4", "p3", "p2", "p1"]
    #expect(names(eight) == sorted)
    for place in 0...8 {
      var nine = eight
      nine.insert(principal("least", requests: 1_000), at: place)
      #expect(names(nine) == sorted)
      nine[place] = principal("most", tasks: 9)
      #expect(names(nine) == ["most"] + sorted.dropLast())
    }
    #expect(names(eight + [principal("equal", tasks: 1)]) == sorted, "the first that came stays")
  }

  @Test func `what each takes and did is told`() throws {
    var tally = PrincipalTally()
    (tally.requests, tally.superseded, tally.cancelled, tally.refused) = (4, 5, 6, 7)
    let stats = try stats([
      PrincipalView(name: "a\"<b>", connections: 2, tasks: 3, requestBytes: 9, tally: tally)
    ])
    let told = try #require((stats["principals"] as? [[String: Any]])?.first)
    #expect(told["name"] as? String == "a\"<b>")
    let numbers = ["connections", "tasks", "requests", "superseded", "cancelled", "refused"]
    #expect(numbers.map { told[$0] as? Int } == [2, 3, 4, 5, 6, 7])
    #expect(told.count == 1 + numbers.count)
  }

  @Test func `where nobody is asked who it is nothing is told`() throws {
    #expect(try stats([])["principals"] == nil)
    #expect(try (stats([principal("ada")])["principals"] as? [Any])?.count == 1)
  }
}
