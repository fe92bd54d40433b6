import TestSupport
import Testing

/// What a request says of its task, wrong and right.
@Suite struct TaskRowTests {
  /// Members of `task`, and what the error names.
  static let wrong: [(members: String, name: String)] = [
    (#""key":"k","policy":"latest""#, "latest"), (#""key":"k","policy":"Cancel""#, "Cancel"),
    (#""key":"k","policy":null"#, "task.policy"), (#""key":"k","policy":1"#, "task.policy"),
    (#""key":"k","polcy":"cancel""#, "polcy"), (#""key":"k","Key":"k""#, "Key"), (#""":1"#, "unknown member"),
    (#""key":1"#, "task.key"), (#""key":null"#, "task.key"), (#""key":["k"]"#, "task.key"),
    (#""key":"k","join":"sometimes""#, "task.join"), (#""key":"k","join":true"#, "task.join"),
    (#""key":"k","join":"always","policy":"wait""#, "task.join"),
    (#""key":"k","scope":"mine""#, "task.scope"), (#""key":"k","scope":1"#, "task.scope"),
    (#""group":7"#, "task.group"), (#""group":"""#, "task.group"),
    (#""key":"k","timeoutMs":"1""#, "task.timeoutMs"), (#""key":"k","timeoutMs":1.5"#, "task.timeoutMs"),
    (#""key":"k","timeoutMs":-1"#, "task.timeoutMs"), (#""key":"k","timeoutMs":3600001"#, "task.timeoutMs"),
    (#""key":"k","timeoutMs":1e400"#, "task.timeoutMs"),
    (#""key":"k","drainMs":18446744073709551616"#, "task.drainMs"),
    (#""key":"k","drainMs":[]"#, "task.drainMs"),
    (#""key":"k","debounceMs":null"#, "task.debounceMs"), (#""key":"k","debounceMs":{}"#, "task.debounceMs"),
    (#""key":"k","debounceMs":1,"maxWaitMs":"2""#, "task.maxWaitMs"),
    (#""key":"k","maxStaleMs":true"#, "task.maxStaleMs"),
    (#""key":"k","policy":"wait","maxStaleMs":1"#, "task.maxStaleMs"),
    (#""policy":"cancel""#, "needs a key"), (#""join":"identical""#, "needs a key"),
    (#""debounceMs":1"#, "needs a key"),
    (#""key":"""#, "task.key"), (#""key":"\#(String(repeating: "k", count: 513))""#, "task.key"),
    (#""key":"\#(String(repeating: #"\u00e9"#, count: 257))""#, "task.key"),
    (#""key":"k","debounceMs":50,"maxWaitMs":50"#, "task.maxWaitMs"),
    (#""key":"k","debounceMs":50,"maxWaitMs":49"#, "task.maxWaitMs"),
    (#""key":"k","maxWaitMs":50"#, "task.maxWaitMs"),
  ]

  @Test(arguments: Transport.all, wrong)
  func `what is wrong with a task is named, and nothing runs`(
    transport: Transport, task: (members: String, name: String)
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(#"{"jsonrpc":"2.0","id":7,"method":"m","task":{\#(task.members)}}"#)
    try scene.expectError(-32602, id: "7", naming: task.name)
    let call = #""params":{"method":"m","task":{\#(task.members)}}"#
    try scene.client.send(#"{"jsonrpc":"2.0","id":8,"method":"lastword.call",\#(call)}"#)
    try scene.expectError(-32602, id: "8", naming: task.name)
    try scene.expectKept()
  }

  @Test(arguments: Transport.all, ["1", "null", #""k""#, "true", #"["k"]"#])
  func `a task that is no object is refused`(transport: Transport, task: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(#"{"jsonrpc":"2.0","id":7,"method":"m","task":\#(task)}"#)
    try scene.expectError(-32602, id: "7", naming: "task")
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      String(repeating: "k", count: 512), String(repeating: #"\u00e9"#, count: 256),
      String(repeating: #"\ud83d\ude00"#, count: 128),
    ])
  func `a key of 512 bytes, once unescaped, is served`(transport: Transport, key: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(1, "m", key: key))
    try scene.upstream.answer(scene.upstream.asked().id!, "served")
    #expect(try scene.client.reply().result == "served")
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      ("\u{e9}", "e\u{301}"), (#"\u00e9"#, "e\u{301}"), ("k", "K"), ("k", " k"), ("1", "1.0"),
      ("\u{fb01}", "fi"),
    ])
  func `keys that differ in a byte are two`(transport: Transport, keys: (String, String)) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(1, "m1", key: keys.0, policy: "cancel"))
    try scene.client.send(request(2, "m2", key: keys.1, policy: "cancel"))
    for id in [try scene.upstream.asked(), try scene.upstream.asked()].map(\.id!) {
      try scene.upstream.answer(id, "both")
    }
    #expect(try scene.client.replies(2).map(\.result) == ["both", "both"])
    try scene.expectKept()
  }

  @Test(
    arguments: Transport.all,
    [
      ("a", #"\u0061"#), ("\u{e9}", #"\u00e9"#), ("/", #"\/"#), ("\u{1f600}", #"\ud83d\uDE00"#),
      (#"\n"#, #"\u000A"#),
    ])
  func `keys of the same bytes are one, however they are spelled`(
    transport: Transport, keys: (String, String)
  ) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(1, "m1", key: keys.0, policy: "cancel"))
    let older = try scene.upstream.asked()
    try scene.client.send(request(2, "m2", key: keys.1, policy: "cancel"))
    try scene.expectError(-32080, id: "1")
    #expect(try scene.upstream.asked().cancelled == older.id)
    try scene.upstream.answer(scene.upstream.asked().id!, "newest")
    #expect(try scene.client.reply().result == "newest")
    try scene.expectKept()
  }

  @Test(arguments: Transport.all)
  func `a trace context is no unknown member`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    try scene.client.send(request(1, "m", key: "k", task: #","traceparent":"\#(traceparent)""#))
    try scene.upstream.answer(scene.upstream.asked().id!, "served")
    #expect(try scene.client.reply().result == "served")
    try scene.expectKept()
  }
}
