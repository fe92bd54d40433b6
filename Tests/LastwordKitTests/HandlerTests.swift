import LastwordKit
import Synchronization
import TestSupport
import Testing

private struct Query: Decodable {
  let text: String
  var limit: Int?
  var tags: [String: [Int]]?
}

private struct Hit: Encodable {
  let text: String
  let line: Int
}

/// What handlers are asked, and what becomes of what they return and throw.
@Suite struct HandlerTests {
  private var gateway = Gateway(listen: ["127.0.0.1:0"])

  @Test func `params and results are values`() async throws {
    var gateway = gateway
    gateway.handle("search") { (query: Query) in
      (1...(query.limit ?? 1)).map { Hit(text: query.text, line: $0) }
    }
    let answer = try await ServedGateway.serving(gateway) {
      try $0.connect().ask("search", #"{"text":"a/b \u00e9","limit":2}"#)
    }
    #expect(answer == #""result":[{"line":1,"text":"a/b é"},{"line":2,"text":"a/b é"}]"#)
  }

  @Test func `the task of what is superseded is cancelled, and its caller hears of it`() async throws {
    let (started, cancelled) = (Flag(), Flag())
    var gateway = gateway
    gateway.handle("search", key: "/text") { (query: Query) in
      if query.limit == 1 { try await untilCancelled(started, cancelled) }
      return query.limit
    }
    try await ServedGateway.serving(gateway) { served in
      let (first, second) = (try served.connect(), try served.connect())
      try first.send(request("search", #"{"text":"box","limit":1}"#))
      try started.wait()
      #expect(try second.ask("search", #"{"text":"another","limit":3}"#) == #""result":3"#)
      #expect(try second.ask("search", #"{"text":"box","limit":2}"#) == #""result":2"#)
      let superseded = try first.outcome(id: 1)
      #expect(superseded.hasPrefix(#""error":{"code":-32080,"#))
      #expect(superseded.contains(#""key":"box","generation":1,"supersededBy":3,"phase":"running""#))
      try cancelled.wait()
    }
  }

  @Test func `a caller waits no longer than the options say`() async throws {
    var options = MethodOptions()
    options.timeout = .milliseconds(1)
    var gateway = gateway
    gateway.handle("slow", options: options) { (_: NoParams) in try await Task.sleep(for: .seconds(600)) }
    let answer = try await ServedGateway.serving(gateway) { try $0.connect().ask("slow") }
    #expect(answer.hasPrefix(#""error":{"code":-32083,"#))
  }

  @Test(arguments: [
    (#"{"limit":1}"#, "params.text is missing"), (#"{"text":null}"#, "params.text is null"),
    (#"{"text":7}"#, "params.text is not a string"), ("[1]", "params is not an object"),
    (#"{"text":"","limit":"1"}"#, "params.limit is not an integer"),
    (#"{"text":"","tags":{"a":[1,"2"]}}"#, "params.tags.a[1] is not an integer"),
    (#"{"text":"","tags":{"a":3}}"#, "params.tags.a is not an array"),
  ])
  func `params that cannot be decoded are told with their place`(params: String, message: String) async throws
  {
    var gateway = gateway
    gateway.handle("search") { (query: Query) in query.text }
    let answer = try await ServedGateway.serving(gateway) { try $0.connect().ask("search", params) }
    #expect(answer == #""error":{"code":-32602,"message":"\#(message)"}"#)
  }

  @Test func `params that are missing are nil, empty, or told`() async throws {
    var gateway = gateway
    gateway.handle("optional") { (query: Query?) in query == nil }
    gateway.handle("none") { (_: NoParams) in "none" }
    gateway.handle("needed") { (query: Query) in query.text }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      #expect(try client.ask("optional") == #""result":true"#)
      #expect(try client.ask("optional", #"{"text":""}"#) == #""result":false"#)
      #expect(try client.ask("none") == #""result":"none""#)
      #expect(try client.ask("none", "[1]") == #""result":"none""#)
      #expect(try client.ask("needed") == #""error":{"code":-32602,"message":"params.text is missing"}"#)
    }
  }

  @Test func `a handler's failure is the answer`() async throws {
    var gateway = gateway
    gateway.handle("plain") { (_: NoParams) in throw RPCFailure(code: 4, message: "no \"box\"") }
    gateway.handle("rich") { (_: NoParams) -> Int in
      throw RPCFailure(code: -5, message: "no", data: ["boxes": [1, 2]])
    }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      #expect(try client.ask("plain") == #""error":{"code":4,"message":"no \"box\""}"#)
      #expect(try client.ask("rich") == #""error":{"code":-5,"message":"no","data":{"boxes":[1,2]}}"#)
    }
  }

  @Test func `any other error stays inside, and is logged`() async throws {
    struct Secret: Error {}
    let log = RecordedLog()
    var gateway = Gateway(listen: ["127.0.0.1:0"], logger: log.logger)
    gateway.handle("fail") { (_: NoParams) in throw Secret() }
    gateway.handle("infinite") { (_: NoParams) in Double.infinity }
    gateway.handle("stray") { (_: NoParams) in throw CancellationError() }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      for method in ["fail", "infinite", "stray"] {
        #expect(try client.ask(method) == #""error":{"code":-32603,"message":"internal error"}"#)
      }
    }
    #expect(log.lines.contains("error: a handler failed error=Secret() method=fail"))
  }

  @Test func `a method that nobody registered is unknown`() async throws {
    var gateway = gateway
    gateway.handle("e\u{301}") { (_: NoParams) in 1 }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      #expect(try client.ask("nothing") == #""error":{"code":-32601,"message":"method not found"}"#)
      #expect(try client.ask("\u{e9}") == #""error":{"code":-32601,"message":"method not found"}"#)
      #expect(try client.ask("e\u{301}") == #""result":1"#)
    }
  }

  @Test func `JSON text passes byte for byte`() async throws {
    var gateway = gateway
    gateway.handle("echo") { (request: Request) in request.params }
    gateway.handle("lines") { (_: Request) in Array("[1,\r\n2]\n".utf8) }
    gateway.handle("length") { (request: Request) in Array("\(try request.decode([String].self).count)".utf8)
    }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      #expect(try client.ask("echo", #"{"n": 1.0e2,"s":"\ud800"}"#) == #""result":{"n": 1.0e2,"s":"\ud800"}"#)
      #expect(try client.ask("echo") == #""result":null"#)
      #expect(try client.ask("lines") == #""result":[1,  2]"#)
      #expect(try client.ask("length", #"["a","b"]"#) == #""result":2"#)
    }
  }

  @Test(arguments: [4 << 20, 5 << 20])
  func `a message as long as the bound allows reaches its handler`(messageBytes: Int) async throws {
    var options = GatewayOptions()
    options.messageBytes = messageBytes
    options.timeout = .seconds(20)
    var gateway = Gateway(listen: ["127.0.0.1:0"], options: options)
    gateway.handle("length") { (request: Request) in Array("\(request.params.count)".utf8) }
    let beginning = request("length", "[\"").dropLast()
    let text = String(repeating: "x", count: messageBytes - beginning.utf8.count - 3)
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      // The gateway's own ids become longer than the client's.
      for _ in 1...20 { _ = try client.ask("length", "[]") }
      #expect(try client.ask("length", "[\"\(text)\"]") == #""result":\#(text.utf8.count + 4)"#)
    }
  }

  @Test func `a result that cannot be sent harms no other request`() async throws {
    let gate = Gate()
    var options = GatewayOptions()
    options.messageBytes = 65_536
    let log = RecordedLog()
    var gateway = Gateway(listen: ["127.0.0.1:0"], options: options, logger: log.logger)
    gateway.handle("patient") { (_: NoParams) in await gate.passed() }
    gateway.handle("bad") { (request: Request) in
      switch try request.decode([Int].self).first {
      case 0: []
      case 1: Array("{".utf8)
      case 2: Array("1 2".utf8)
      case let depth?: Array(repeating: 0x5b, count: depth) + Array(repeating: 0x5d, count: depth)
      case nil: Array("\"\(String(repeating: "x", count: 65_536))\"".utf8)
      }
    }
    gateway.handle("data") { (_: NoParams) in
      throw RPCFailure(code: 1, message: "large", data: String(repeating: "x", count: 65_536))
    }
    try await ServedGateway.serving(gateway) {
      defer { gate.open() }
      let client = try $0.connect()
      try client.send(request("patient", id: 99))
      for params in ["[0]", "[1]", "[2]", "[128]"] {
        #expect(try client.ask("bad", params) == #""error":{"code":-32603,"message":"internal error"}"#)
      }
      #expect(try client.ask("bad", "[127]").hasPrefix(#""result":[[["#))
      #expect(try client.ask("bad", "[]") == #""error":{"code":-32086,"message":"the result is too large"}"#)
      #expect(try client.ask("data") == #""error":{"code":1,"message":"large"}"#)
      gate.open()
      #expect(try client.outcome(id: 99) == #""result":null"#)
    }
    #expect(!log.lines.contains { $0.contains("disconnected") })
  }

  @Test func `a handler gives pieces to who takes them, and hears when nobody does`()
    async throws
  {
    let ended = Flag()
    var gateway = gateway
    gateway.handle("write", key: "/text") { (query: Query, pieces: Pieces<String>) in
      try await pieces.give(
        all: AsyncStream { stream in
          for word in query.text.split(separator: " ") { stream.yield(String(word)) }
          stream.finish()
        })
      return query.text.count
    }
    gateway.handle("run", key: "/text") { (_: Query, pieces: Pieces<Int>) -> Int in
      defer { ended.raise() }
      var number = 0
      while true {
        try pieces.give(number)
        number += 1
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      try client.send(request("write", #"{"text":"so it is"}"#, task: #"{"stream":true}"#))
      for word in ["so", "it", "is"] {
        #expect(
          try client.expect()
            == #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":1,"value":"\#(word)"}}"#)
      }
      #expect(try client.outcome(id: 1) == #""result":8"#)
      #expect(try client.ask("write", #"{"text":"so it is"}"#) == #""result":8"#)
      try client.send(request("run", #"{"text":"k"}"#, id: 5, task: #"{"stream":true}"#))
      _ = try client.expect()
      try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}"#)
      try ended.wait()
    }
  }

  @Test func `a notification runs its handler, and is not answered`() async throws {
    let heard = Flag()
    let texts = Mutex<[String]>([])
    var gateway = gateway
    gateway.handle("note") { (query: Query) in
      texts.withLock { $0.append(query.text) }
      heard.raise()
    }
    gateway.handle("fail") { (_: NoParams) in
      heard.raise()
      throw RPCFailure(code: 1, message: "nobody hears this")
    }
    try await ServedGateway.serving(gateway) {
      let client = try $0.connect()
      try client.send(request("note", #"{"text":"hello"}"#, id: nil))
      try client.send(request("fail", id: nil))
      try client.send(request("unknown", id: nil))
      try heard.wait()
      try heard.wait()
      #expect(try client.ask("note", #"{"text":"and"}"#) == #""result":null"#)
    }
    #expect(texts.withLock { $0 } == ["hello", "and"])
  }

  @Test func `the same question shares one handler's answer`() async throws {
    let gate = Gate()
    let calls = Mutex(0)
    var gateway = gateway
    gateway.handle("load", key: "/text", policy: .preferPrevious) { (query: Query) in
      calls.withLock { $0 += 1 }
      await gate.passed()
      return query.text
    }
    try await ServedGateway.serving(gateway) {
      defer { gate.open() }
      let client = try $0.connect()
      for id in 1...3 { try client.send(request("load", #"{"text":"a"}"#, id: id)) }
      #expect(
        try client.ask("load", #"{"text":"a","limit":1}"#, id: 4).hasPrefix(#""error":{"code":-32081,"#))
      gate.open()
      for id in 1...3 { #expect(try client.outcome(id: id) == #""result":"a""#) }
    }
    #expect(calls.withLock { $0 } == 1)
  }

  @Test func `no more handlers run at once than the options say`() async throws {
    let gate = Gate()
    let running = Mutex((now: 0, most: 0))
    var options = GatewayOptions()
    options.runningRequests = 2
    options.runningRequestsPerConnection = 2
    var gateway = Gateway(listen: ["127.0.0.1:0"], options: options)
    gateway.handle("work") { (_: NoParams) in
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      await gate.passed()
      running.withLock { $0.now -= 1 }
    }
    try await ServedGateway.serving(gateway) {
      defer { gate.open() }
      let client = try $0.connect()
      for id in 1...10 { try client.send(request("work", id: id)) }
      #expect(try client.isInStep())
      gate.open()
      for _ in 1...10 { _ = try client.expect() }
    }
    #expect(running.withLock { $0.most } == 2)
  }
}
