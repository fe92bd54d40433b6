import Foundation
import Testing

@testable import Admin
@testable import GatewayCore
@testable import Identity
@testable import TaskStore

/// What `/keys` and the numbers of the live page say.
@Suite struct KeysTextTests {
  private func object(_ text: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
  }

  private func lane(_ namespace: Namespace, _ key: [UInt8], _ tasks: [TaskSummary] = []) -> LaneView {
    var counts = TaskCounts()
    (counts.queued, counts.running, counts.draining, counts.orphaned) = (4, 3, 2, 1)
    return LaneView(namespace: namespace, key: key, counts: counts, tasks: tasks)
  }

  @Test func `a lane says whose it is, how full, and what its newest tasks are`() throws {
    let tasks = [
      TaskSummary(
        task: TaskID(rawValue: 1), generation: 9, state: .queued, policy: .keepLatest, waiterCount: 2),
      TaskSummary(task: TaskID(rawValue: 2), generation: 8, state: .draining, policy: .wait, waiterCount: 0),
    ]
    let lanes = [
      lane(.shared(listener: 2, Principal(number: 9, namespace: 3)), Array("k".utf8), tasks),
      lane(.own(connection: 4), Array("own".utf8)),
    ]
    let keys = try object(KeysText.of(lanes, total: 17))
    #expect(keys["total"] as? Int == 17)
    let shown = try #require(keys["lanes"] as? [[String: Any]])
    #expect(shown.map { $0["key"] as? String } == ["k", "own"])
    #expect(shown.map { $0["scope"] as? String } == ["shared", "connection"])
    #expect(shown.map { $0["listener"] as? Int } == [2, nil])
    #expect(shown.map { $0["namespace"] as? Int } == [3, nil])
    #expect(shown.map { $0["connection"] as? Int } == [nil, 4])
    for (name, count) in [("queued", 4), ("running", 3), ("draining", 2), ("orphaned", 1)] {
      #expect(shown.map { $0[name] as? Int } == [count, count])
    }
    let first = try #require(shown[0]["tasks"] as? [[String: Any]])
    #expect(first.map { $0["generation"] as? Int } == [9, 8])
    #expect(first.map { $0["state"] as? String } == ["queued", "draining"])
    #expect(first.map { $0["policy"] as? String } == ["keepLatest", "wait"])
    #expect(first.map { $0["waiters"] as? Int } == [2, 0])
    #expect((shown[1]["tasks"] as? [Any])?.isEmpty == true)
  }

  @Test func `keys are text, whatever they are made of`() throws {
    let keys: [[UInt8]] = [Array("\"\\\u{0}\n😀".utf8), [0x61, 0xff], []]
    let text = KeysText.of(keys.map { lane(.shared(listener: 0, .anonymous), $0) }, total: 3)
    let shown = try #require(try object(text)["lanes"] as? [[String: Any]])
    #expect(shown.map { $0["key"] as? String } == ["\"\\\u{0}\n😀", "a\u{fffd}", ""])
  }

  @Test func `without lanes there are none`() {
    #expect(String(decoding: KeysText.of([], total: 0), as: UTF8.self) == #"{"total":0,"lanes":[]}"#)
  }
}
