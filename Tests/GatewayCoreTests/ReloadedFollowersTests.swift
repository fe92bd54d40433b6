import GatewayCore
import TaskStore
import Testing

/// Who follows goes on to do so when the configuration is loaded anew.
@Suite struct ReloadedFollowersTests {
  private static func configuration(_ rule: SupersededRule) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.routes = [Route(method: "m")]
    configuration.routes[0].superseded = rule
    return configuration
  }

  @Test(arguments: [SupersededRule.follow, .error])
  func `who was admitted to follow does so after a reload, whatever that says`(rule: SupersededRule) {
    var bench = Bench(Self.configuration(.follow))
    let client = bench.connect()
    let task = #"{"key":"k"}"#
    bench.send(line("1", task: task), from: client)
    bench.core.reconfigure(Self.configuration(rule))
    bench.send(line("2", task: task), from: client)
    #expect(bench.heard(client).isEmpty)
    bench.answer(result("2", "7") + "\n")
    #expect(bench.heard(client) == [result("2", "7"), result("1", "7")])
  }
}
