import GatewayCore
import TaskStore
import Testing

/// `lastword.cancel` and `lastword.inspect`, and what they leave behind.
@Suite struct OwnMethodTests {
  private func cancel(_ id: Int, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.cancel","params":\#(params)}"# + "\n"
  }

  @Test func `the newest request with an id is the one that is cancelled`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("7", task: #"{"key":"a"}"#) + line("7", task: #"{"key":"b"}"#), from: client)
    bench.send(cancel(1, #"{"id":7}"#), from: client)
    #expect(bench.heard(client).first?.contains(#""key":"b""#) == true)
  }

  @Test func `an id is the same however its string is written, and a number is no string`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line(#""A""#) + line("1"), from: client)
    bench.send(cancel(2, #"{"id":"1"}"#) + cancel(3, #"{"id":"\u0041"}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.first == result("2", #"{"cancelled":0}"#))
    #expect(heard.last == result("3", #"{"cancelled":1}"#))
  }

  @Test func `the newest request is found among thousands of the same id, and after they are gone`() {
    var bench = Bench()
    let client = bench.connect()
    for _ in 0..<1_000 { bench.send(line("1") + line("2"), from: client) }
    for left in 0..<1_000 {
      bench.send(cancel(3, #"{"id":1}"#), from: client)
      #expect(bench.heard(client).last == result("3", #"{"cancelled":1}"#), "\(left) were cancelled")
    }
    bench.send(cancel(3, #"{"id":1}"#), from: client)
    #expect(bench.heard(client) == [result("3", #"{"cancelled":0}"#)])
    #expect(bench.core.liveRequestCount == 1_000)
  }

  @Test func `another connection's ids and groups are out of reach`() {
    var bench = Bench()
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: #"{"group":"g"}"#), from: client)
    bench.send(cancel(2, #"{"id":1}"#) + cancel(3, #"{"group":"g"}"#), from: other)
    #expect(bench.heard(other) == [result("2", #"{"cancelled":0}"#), result("3", #"{"cancelled":0}"#)])
  }

  @Test func `a key of another namespace is out of reach`() {
    var bench = Bench()
    let client = bench.connect()
    let elsewhere = bench.core.clientConnected(listener: 1)!
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    bench.send(cancel(2, #"{"key":"k"}"#), from: elsewhere)
    bench.send(cancel(3, #"{"key":"k","scope":"connection"}"#), from: client)
    #expect(bench.heard(elsewhere) == [result("2", #"{"cancelled":0}"#)])
    #expect(bench.heard(client) == [result("3", #"{"cancelled":0}"#)])
  }

  @Test func `cancelling or looking for a key that is not there makes no lane`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(cancel(1, #"{"key":"nobody's"}"#) + cancel(2, #"{"group":"nobody's"}"#), from: client)
    bench.send(
      #"{"jsonrpc":"2.0","id":3,"method":"lastword.inspect","params":{"key":"nobody's"}}"# + "\n",
      from: client)
    #expect(bench.heard(client).last == result("3", #"{"count":0,"tasks":[]}"#))
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `a group is forgotten with its last request, also one that was refused`() {
    var configuration = GatewayConfiguration()
    configuration.store.queuePerLane = 1
    var bench = Bench(configuration)
    let client = bench.connect()
    for id in 1...3 {
      bench.send(line("\(id)", task: #"{"key":"k","policy":"wait","group":"g\#(id)"}"#), from: client)
    }
    #expect(bench.heard(client).first?.contains("-32082") == true)
    bench.core.clientDisconnected(client)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.core.leftovers == [])
  }

  @Test func `a lane is shown from its newest task on, as far as the bound goes`() {
    var configuration = GatewayConfiguration()
    configuration.store.queuePerLane = 1_000
    var bench = Bench(configuration)
    let client = bench.connect()
    for id in 1...150 { bench.send(line("\(id)", task: #"{"key":"k","policy":"wait"}"#), from: client) }
    bench.timePasses(40)
    bench.send(
      #"{"jsonrpc":"2.0","id":0,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n", from: client)
    let shown = bench.heard(client)[0]
    #expect(shown.hasPrefix(#"{"jsonrpc":"2.0","id":0,"result":{"count":150,"tasks":[{"generation":150,"#))
    #expect(shown.matches(of: /"generation"/).count == GatewayConfiguration.inspectedTasks)
    #expect(shown.contains(#""state":"queued","policy":"wait","method":"m","callers":1,"ageMs":40}"#))
  }

  @Test func `a key and a group may each have 512 bytes and no more`() {
    for (name, task) in [("task.key", "key"), ("task.group", "group")] {
      var bench = Bench()
      let client = bench.connect()
      let longest = String(repeating: "k", count: 512)
      bench.send(line("1", task: #"{"\#(task)":"\#(longest)"}"#), from: client)
      #expect(bench.heard(client) == [])
      bench.send(line("2", task: #"{"\#(task)":"\#(longest)k"}"#), from: client)
      #expect(bench.heard(client).first?.contains("\(name) is longer than 512 bytes") == true)
    }
  }

  @Test func `a client that does not read is shown no lane`() {
    var configuration = GatewayConfiguration()
    configuration.clientOutputSoftBytes = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    let inspect = #"{"jsonrpc":"2.0","id":1,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n"
    for _ in 0..<4 { bench.send(inspect, from: client) }
    let heard = bench.heard(client)
    #expect(heard.first?.contains(#""count":0"#) == true && heard.last?.contains("-32082") == true)
    bench.send(inspect, from: client)
    #expect(bench.heard(client).first?.contains(#""count":0"#) == true)
  }

  @Test(arguments: ["key", "policy", "group", "timeoutMs"])
  func `a member of task that occurs twice is refused by name`(name: String) {
    let value = ["key": #""k""#, "policy": #""wait""#, "group": #""g""#, "timeoutMs": "7"][name]!
    var bench = Bench()
    let client = bench.connect()
    let twice = #"{"key":"k","\#(name)":\#(value),"\#(name)":\#(value)}"#
    bench.send(line("1", task: name == "key" ? #"{"key":"k","k\u0065y":"k"}"# : twice), from: client)
    let heard = bench.heard(client)
    #expect(heard.first?.contains("-32602") == true && heard.first?.contains("occurs twice") == true)
  }
}
