import GatewayCore
import Testing

/// `task.traceparent`, as W3C Trace Context has it.
@Suite struct TraceParentTests {
  private func complaint(_ value: String) -> String? {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"traceparent":\#(value)}"#), from: client)
    return bench.heard(client).first
  }

  @Test func `a trace context is taken, and stays here`() {
    var bench = Bench()
    let client = bench.connect()
    let value = #""00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01""#
    bench.send(line("1", task: #"{"traceparent":\#(value)}"#), from: client)
    #expect(bench.heard(client) == [])
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m"}"#])
  }

  @Test(arguments: [
    "7", #""""#, #""00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0""#,
    #""00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01""#,
    #""ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01""#,
    #""00-00000000000000000000000000000000-00f067aa0ba902b7-01""#,
    #""00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01""#,
    #""00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01""#,
  ])
  func `what is none is named`(value: String) {
    #expect(complaint(value)?.contains("-32602") == true)
    #expect(complaint(value)?.contains("task.traceparent") == true)
  }
}
