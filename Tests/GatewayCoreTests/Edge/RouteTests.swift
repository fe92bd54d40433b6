import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What routes and listeners say for requests that do not say it themselves.
@Suite struct RouteTests {
  private func bench(_ routes: Route...) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.routes = routes
    return Bench(configuration)
  }

  private func route(_ method: String, prefix: Bool = false, _ adjust: (inout Route) -> Void) -> Route {
    var route = Route(method: method)
    route.isPrefix = prefix
    adjust(&route)
    return route
  }

  private let keyed: (inout Route) -> Void = { $0.key = try? JSONPointer("/doc/uri") }

  @Test func `a key comes out of the params`() {
    var bench = bench(route("m", keyed))
    let client = bench.connect()
    for id in 1...2 { bench.send(line("\(id)", params: #"{"doc":{"uri":"a\u0062"}}"#), from: client) }
    #expect(bench.heard(client).first?.contains(#""key":"ab","generation":1,"supersededBy":2"#) == true)
    bench.send(line("3", params: #"{"doc":{"uri":"other"}}"#), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `a route whose first request has no key where it looks is named once`() {
    let found = #"{"doc":{"uri":"a"}}"#
    var bench = bench(route("a", keyed), route("b", keyed), route("c") { _ in }, route("d", keyed))
    let client = bench.connect()
    bench.send(line("1", "b", params: found) + line("2", "c"), from: client)
    #expect(bench.core.keylessRoutes == [])
    bench.send(line("3", "a", params: "[]") + line("4", "b", params: "[]") + line("5", "a"), from: client)
    #expect(bench.core.keylessRoutes == [0])
    // Its own key is one, too.
    bench.send(line("6", "d", task: #"{"key":"k"}"#) + line("7", "d"), from: client)
    #expect(bench.core.keylessRoutes == [0])
    bench.core.reconfigure(bench.core.configuration)
    #expect(bench.core.keylessRoutes == [])
    bench.send(line("8", "b"), from: client)
    #expect(bench.core.keylessRoutes == [1])
  }

  @Test func `a prefix keeps methods apart whose params hold the same`() {
    var bench = bench(
      route("hover") {
        keyed(&$0)
        $0.keyPrefix = Array("hover:".utf8)
      }, route("m", keyed))
    let client = bench.connect()
    let params = #"{"doc":{"uri":"a\u0062"}}"#
    bench.send(line("1", "hover", params: params) + line("2", params: params), from: client)
    #expect(bench.heard(client) == [])
    bench.send(line("3", "hover", params: params), from: client)
    #expect(bench.heard(client).first?.contains(#""id":1,"error":{"code":-32080"#) == true)
    bench.send(line("4", "x", task: #"{"key":"hover:ab"}"#), from: client)
    #expect(bench.heard(client).first?.contains(#""key":"hover:ab""#) == true)
  }

  @Test func `a number or a truth value is a key as it stands, null is none`() {
    var bench = bench(route("m") { $0.key = try? JSONPointer("/0") })
    let client = bench.connect()
    for (id, key) in [(1, "1"), (2, "1.0"), (3, "true"), (4, "null"), (5, "null")] {
      bench.send(line("\(id)", params: "[\(key)]"), from: client)
    }
    #expect(bench.heard(client) == [])
    bench.send(line("6", params: "[1.0]"), from: client)
    #expect(bench.heard(client).first?.contains(#""id":2,"error":{"code":-32080"#) == true)
  }

  @Test(arguments: [
    ("[[1]]", "the key at /0 must be a string or a number"), (#"[""]"#, "the key at /0 is empty"),
    (#"["\ud800"]"#, "the key at /0 has a lone surrogate"),
  ])
  func `a place that holds no key is refused by name`(params: String, complaint: String) {
    var bench = bench(route("m") { $0.key = try? JSONPointer("/0") })
    let client = bench.connect()
    bench.send(line("1", params: params), from: client)
    let heard = bench.heard(client)
    #expect(heard.first?.contains("-32602") == true && heard.first?.contains(complaint) == true)
  }

  @Test func `a request without the key that its route requires is refused`() {
    var bench = bench(
      route("m") {
        keyed(&$0)
        $0.requiresKey = true
      })
    let client = bench.connect()
    bench.send(line("1", params: #"{"doc":{}}"#), from: client)
    #expect(bench.heard(client).first?.contains("a request of this method needs a key") == true)
    bench.send(line("2", params: #"{"doc":{}}"#, task: #"{"key":"own"}"#), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `what a request says itself wins over its route, member by member`() {
    var bench = bench(
      route("m") {
        keyed(&$0)
        $0.policy = .wait
      })
    let client = bench.connect()
    let params = #"{"doc":{"uri":"k"}}"#
    bench.send(line("1", params: params) + line("2", params: params), from: client)
    #expect(bench.asked().count == 1 && bench.heard(client) == [])
    bench.send(line("3", params: params, task: #"{"policy":"cancel"}"#), from: client)
    #expect(bench.heard(client).count == 2)
    bench.send(line("4", params: params, task: #"{"key":"other"}"#), from: client)
    bench.send(line("5", params: params, task: #"{"key":"other"}"#), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `a policy that the route does not allow is refused, its own default too`() {
    var bench = bench(
      route("m") {
        $0.policy = .wait
        $0.allowedPolicies = [.wait, .keepLatest]
      })
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","policy":"cancel"}"#), from: client)
    #expect(bench.heard(client).first?.contains("this method does not allow cancel") == true)
    bench.send(line("2", task: #"{"key":"k","policy":"keepLatest"}"#), from: client)
    bench.send(line("3", task: #"{"key":"k"}"#), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `a route's join and maxStaleMs count only with a policy that they go with`() {
    var bench = bench(
      route("m") {
        $0.policy = .preferPrevious
        $0.join = .always
      },
      route("n") { $0.maxStaleMilliseconds = 100 })
    let client = bench.connect()
    bench.send(line("1", params: "[1]", task: #"{"key":"k"}"#), from: client)
    bench.send(line("2", params: "[2]", task: #"{"key":"k"}"#), from: client)
    #expect(bench.heard(client) == [] && bench.asked().count == 1)
    bench.send(line("3", task: #"{"key":"k","policy":"cancel"}"#), from: client)
    #expect(bench.heard(client).count == 2)
    bench.send(line("4", "n", task: #"{"key":"l","policy":"wait"}"#), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `a route's times are its requests' times`() {
    var bench = bench(
      route("m") {
        $0.timeoutMilliseconds = 70
        $0.debounceMilliseconds = 30
      })
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    #expect(bench.asked() == [])
    bench.timePasses(30)
    #expect(bench.asked().count == 1)
    bench.timePasses(40)
    #expect(bench.heard(client).first?.contains("-32083") == true)
  }

  @Test func `a name wins over a prefix, and a longer prefix over a shorter one`() {
    var configuration = GatewayConfiguration()
    configuration.upstreams = (0..<4).map { _ in UpstreamOptions() }
    configuration.routes = [
      route("", prefix: true) { $0.upstream = 1 }, route("a/", prefix: true) { $0.upstream = 2 },
      route("a/b") { $0.upstream = 3 }, route("a/b") { $0.upstream = 0 },
    ]
    var bench = Bench(configuration)
    for index in 1..<4 { bench.core.upstreamConnected(UpstreamID(slot: index)) }
    let client = bench.connect()
    for (id, method) in [(1, #"\u0061/b"#), (2, "a/c"), (3, "a"), (4, "a/bc")] {
      bench.send(line("\(id)", method), from: client)
    }
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.requests.map(\.upstream).sorted() == [1, 2, 2, 3])
  }

  @Test func `what upstream a request goes to decides how it is cancelled`() {
    var configuration = GatewayConfiguration()
    configuration.upstreams = [UpstreamOptions(cancel: .lsp), UpstreamOptions(cancel: .mcp)]
    configuration.routes = [route("tools/", prefix: true) { $0.upstream = 1 }]
    var bench = Bench(configuration)
    bench.core.upstreamConnected(UpstreamID(slot: 1))
    let client = bench.connect()
    bench.send(line("1", "tools/call"), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.requests.last?.line.contains("notifications/cancelled") == true)
    #expect(bench.sink.requests.last?.upstream == 1)
  }

  // MARK: Listeners

  private func bench(listener adjust: (inout ListenerOptions) -> Void) -> Bench {
    var configuration = GatewayConfiguration()
    var listener = ListenerOptions()
    adjust(&listener)
    configuration.listeners = [listener]
    return Bench(configuration)
  }

  @Test func `a listener can give each connection keys of its own`() {
    var bench = bench { $0.scope = .connection }
    let (one, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: #"{"key":"k"}"#), from: one)
    bench.send(line("1", task: #"{"key":"k"}"#), from: other)
    #expect(bench.heard(one) == [])
    bench.send(line("2", task: #"{"key":"k","scope":"shared"}"#), from: one)
    bench.send(line("2", task: #"{"key":"k","scope":"shared"}"#), from: other)
    #expect(bench.heard(one).first?.contains(#""id":2,"error":{"code":-32080"#) == true)
  }

  @Test func `a listener can tell of superseding as editors do not show it`() {
    var bench = bench { $0.hidesSupersession = true }
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"k"}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.first?.contains(#""code":-32801,"message":"superseded by a newer request""#) == true)
    #expect(heard.first?.contains(#""supersededBy":2"#) == true)
  }

  @Test func `a listener can take a client's end for the end of its requests`() {
    var bench = bench { $0.cancelsAtEnd = true }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.core.clientEnded(client)
    #expect(bench.asked().count == 2)
    #expect(bench.heard(client) == [] && bench.sink.closed == [client.slot])
    bench.answer(result("1", "0") + "\n")
    #expect(bench.core.leftovers == [])
  }
}
