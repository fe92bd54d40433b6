import GatewayCore
import Testing

/// Tasks say the same however they are spelt: the spelling without blanks is read on the fast path.
@Suite struct TaskSpellingTests {
  private static let names = ["key", "policy"]

  @Test(arguments: [
    #"{"key":"k"}"#, #"{"key":"k","policy":"cancel"}"#, #"{"policy":"wait","key":"k"}"#,
    #"{"key":"k","policy":"preferPrevious","timeoutMs":20}"#, #"{"timeoutMs":0,"key":"k"}"#,
    #"{"key":"k","policy":"cancel","timeoutMs":3600001}"#, #"{"key":"k","timeoutMs":7200000,"policy":"no"}"#,
    #"{"policy":"no","key":""}"#, #"{"key":"","policy":"no"}"#, #"{"key":"k","policy":""}"#,
    #"{"key":"\#(String(repeating: "k", count: 512))"}"#,
    #"{"key":"\#(String(repeating: "k", count: 513))"}"#,
  ])
  func `a task is answered alike on the fast path and off it`(task: String) {
    let fast = replies(to: task)
    #expect(!fast.isEmpty)
    #expect(replies(to: task.replacing("{", with: "{ ").replacing(":", with: " : ")) == fast)
    for name in Self.names {
      let escaped = "\\u00" + String(name.utf8.first!, radix: 16) + name.dropFirst()
      #expect(replies(to: task.replacing("\"\(name)\"", with: "\"\(escaped)\"")) == fast)
    }
  }

  @Test(arguments: [(#"{"key":"k","policy":"wait"}"#, true), (#"{"key":"k"}"#, false)])
  func `a task on the fast path says what happens to the older one`(task: String, waits: Bool) {
    #expect(replies(to: task).contains { $0.contains("-32080") } == !waits)
  }

  @Test func `the bound of a key holds on the fast path`() {
    let bound = 512
    for (count, isRefused) in [(bound, false), (bound + 1, true)] {
      let task = #"{"key":"\#(String(repeating: "k", count: count))"}"#
      #expect(replies(to: task).contains { $0.contains("-32602") } == isRefused)
    }
  }

  /// Of two that want the same, once their time has passed.
  private func replies(to task: String) -> [String] {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: task) + line("2", task: task), from: client)
    let early = bench.heard(client)
    bench.timePasses(30)
    return early + bench.heard(client) + bench.asked()
  }
}
