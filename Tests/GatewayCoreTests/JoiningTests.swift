import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Whose answer a request may share: never that of another method, and of other params only by its route's word.
@Suite struct JoiningTests {
  private func bench(_ join: JoinRule?) -> Bench {
    var route = Route(method: "")
    route.isPrefix = true
    route.join = join
    var configuration = GatewayConfiguration()
    configuration.routes = [route]
    return Bench(configuration)
  }

  private let sharing = #"{"key":"k","policy":"preferPrevious"}"#
  private let always = #"{"key":"k","policy":"preferPrevious","join":"always"}"#

  @Test func `without a route nobody gets the answer to other params`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: always), from: client)
    #expect(bench.heard(client).first?.contains(#"task.join: this method does not allow \"always\""#) == true)
    #expect(bench.core.taskCount == 0)
  }

  @Test(arguments: [nil, JoinRule.identical, .never])
  func `a route that does not say so allows it to nobody`(join: JoinRule?) {
    var bench = bench(join)
    let client = bench.connect()
    bench.send(line("1", task: always), from: client)
    #expect(bench.heard(client).first?.contains("-32602") == true && bench.core.taskCount == 0)
  }

  @Test func `a route may have answers shared whatever the params, said or not`() {
    var bench = bench(.always)
    let client = bench.connect()
    bench.send(line("1", params: "[1]", task: sharing) + line("2", params: "[2]", task: always), from: client)
    bench.send(line("3", params: "[3]", task: sharing), from: client)
    #expect(bench.asked().count == 1 && bench.core.taskCount == 1)
    bench.answer(result("1", "7") + "\n")
    #expect(bench.heard(client).count == 3)
  }

  @Test(arguments: ["n", "mm", #"\u006d"#])
  func `another method's answer is not shared`(method: String) {
    var bench = bench(.always)
    let client = bench.connect()
    bench.send(line("1", params: "[1]", task: sharing), from: client)
    bench.send(line("2", method, params: "[1]", task: sharing), from: client)
    #expect(bench.heard(client).first?.contains(#""id":2,"error":{"code":-32081"#) == true)
  }

  @Test func `a request may share less than its route allows`() {
    var bench = bench(.always)
    let client = bench.connect()
    let identical = #"{"key":"k","policy":"preferPrevious","join":"identical"}"#
    bench.send(
      line("1", params: "[1]", task: sharing) + line("2", params: "[2]", task: identical), from: client)
    #expect(bench.heard(client).first?.contains("-32081") == true)
  }
}
