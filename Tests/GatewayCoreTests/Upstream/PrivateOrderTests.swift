import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What goes to an upstream of a connection's own keeps its order.
@Suite struct PrivateOrderTests {
  /// A client whose upstream is connected and works on a request of the key `k`.
  private func connect(_ bench: inout Bench) -> ClientID {
    let client = bench.connect()
    bench.send(line("1", "first", task: #"{"key":"k"}"#), from: client)
    bench.connectUpstreams()
    _ = bench.asked()
    return client
  }

  private func notification(_ method: String, task: String? = nil) -> String {
    let task = task.map { #","task":\#($0)"# } ?? ""
    return #"{"jsonrpc":"2.0","method":"\#(method)"\#(task)}"# + "\n"
  }

  private func methods(_ lines: [String]) -> [String] {
    lines.compactMap {
      $0.split(separator: "\"method\":\"").last?.split(separator: "\"").first.map(String.init)
    }
  }

  @Test(arguments: [
    #"{"key":"k","policy":"wait"}"#, #"{"key":"k","policy":"cancelAndWait"}"#,
    #"{"key":"k","debounceMs":50}"#,
    #"{"key":"k","policy":"keepLatest"}"#,
  ])
  func `a request that is held back is not sent behind a notification`(task: String) {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(line("2", "second", task: task), from: client)
    _ = (bench.heard(client), bench.asked())
    bench.send(notification("didChange"), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":2,"error":{"code":-32801"#))
    #expect(heard[0].contains(#""phase":"queued","upstream":"notSent""#))
    #expect(methods(bench.asked()) == ["didChange"])
    bench.answer(result("1", "null") + "\n")
    bench.timePasses(60_000)
    #expect(!methods(bench.asked()).contains("second"))
    #expect(bench.core.counters.superseded >= 1)
  }

  @Test func `while as many drain as may, the newest waits, and an edit ends it`() {
    var bench = Bench.ofOwnUpstreams { $0.store.orphansPerLane = 2 }
    let client = connect(&bench)
    for id in 2...4 { bench.send(line("\(id)", "m\(id)", task: #"{"key":"k"}"#), from: client) }
    #expect(methods(bench.asked()).filter { $0.hasPrefix("m") } == ["m2"])
    _ = bench.heard(client)
    bench.send(notification("didChange"), from: client)
    #expect(bench.heard(client).first?.contains(#""id":4,"error":{"code":-32801"#) == true)
  }

  @Test(arguments: ["$/setTrace", #"$\/setTrace"#, #"\u0024/progress"#])
  func `a notification that changes nothing leaves it alone`(method: String) {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(line("2", "second", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(notification(method), from: client)
    #expect(bench.heard(client) == [])
    bench.answer(result("1", "null") + "\n")
    #expect(methods(bench.asked()).last == "second")
  }

  @Test func `all that are held back are told, oldest first, and none of them starts in between`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(line("2", "two", task: #"{"key":"d","debounceMs":50}"#), from: client)
    bench.send(line("3", "three", task: #"{"key":"d","policy":"wait"}"#), from: client)
    bench.send(line("4", "four", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(notification("didSave"), from: client)
    let heard = bench.heard(client)
    #expect(heard.map { $0.contains("-32801") } == [true, true, true])
    for (line, id) in zip(heard, 2...4) { #expect(line.contains(#""id":\#(id),"#)) }
    #expect(methods(bench.asked()) == ["didSave"])
  }

  @Test func `no key holds a notification up, and none supersedes anything`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(notification("one", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(notification("two", task: #"{"key":"k","debounceMs":50}"#), from: client)
    bench.send(notification("three", task: #"{"key":"k"}"#), from: client)
    #expect(methods(bench.asked()) == ["one", "two", "three"])
    #expect(bench.heard(client) == [])
  }

  @Test func `where both wait for room, neither priority nor anything else changes their order`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams[0].inFlightPerEndpoint = 1
      var low = Route(method: "low")
      low.priority = 0
      var high = Route(method: "high")
      high.priority = 9
      $0.routes = [low, high]
    }
    let client = connect(&bench)
    bench.send(line("2", "low") + notification("didChange") + line("3", "high"), from: client)
    var sent: [String] = []
    for id in 1...2 {
      bench.answer(result("\(id)", "null") + "\n")
      sent += methods(bench.asked())
    }
    #expect(sent == ["low", "didChange", "high"])
  }

  @Test func `the very same question is shared until a notification comes`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    let task = #"{"key":"s","join":"identical"}"#
    bench.send(line("2", "symbols", task: task) + line("3", "symbols", task: task), from: client)
    #expect(methods(bench.asked()) == ["symbols"])
    bench.send(notification("$/progress") + line("4", "symbols", task: task), from: client)
    #expect(methods(bench.asked()) == ["$/progress"])
    bench.send(notification("didChange") + line("5", "symbols", task: task), from: client)
    #expect(bench.heard(client).filter { $0.contains("-32080") }.count == 3)
    #expect(methods(bench.asked()) == ["didChange", "$/cancelRequest", "symbols"])
  }

  @Test func `other connections and shared upstreams keep what they hold back`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams.append(UpstreamOptions())
      var route = Route(method: "shared")
      route.upstream = 1
      $0.routes = [route]
    }
    let (one, other) = (connect(&bench), connect(&bench))
    let held = #"{"key":"h","debounceMs":50}"#
    bench.send(line("2", task: held), from: other)
    bench.send(line("2", "shared", task: held), from: one)
    bench.send(notification("didChange"), from: one)
    #expect(bench.heard(one) == [] && bench.heard(other) == [])
  }
}
